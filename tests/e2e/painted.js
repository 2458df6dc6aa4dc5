// What a card really shows: words that have a box of their own, words that stick out of the card, and words that can hardly be
// read. A script for Chromium, run on a card's element.
async (card) => {
  const leaves = (node, clip) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.trim() ? [{ node, clip }] : [];
    if (node instanceof Element && ["STYLE", "SCRIPT", "SELECT"].includes(node.tagName)) return [];
    const scrolls = node instanceof Element && ["auto", "scroll"].includes(getComputedStyle(node).overflowX);
    return [...(node.shadowRoot ?? node).childNodes].flatMap((child) => leaves(child, scrolls ? node : clip));
  };
  // Long lists appear screen by screen: wait until two frames bring nothing more.
  for (let before = -1, now = 0; before !== now; now = leaves(card).length) {
    before = now;
    for (let frames = 0; frames < 2; frames++) await new Promise((done) => requestAnimationFrame(done));
  }

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const channels = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const luminance = (rgb) => rgb.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement ?? e.getRootNode().host) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour[3] > 200) return colour;
    }
    return [255, 255, 255];
  };
  const contrast = (element) => {
    const tones = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))].sort((a, b) => b - a);
    return (tones[0] + 0.05) / (tones[1] + 0.05);
  };

  const edge = card.getBoundingClientRect();
  const result = { words: "", outside: [], faint: [], width: edge.width, height: edge.height };
  for (const { node, clip } of leaves(card)) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
    if (boxes.length === 0) continue;
    result.words += `${node.data}\n`;
    if (!clip && boxes.some((box) => box.left < edge.left - 1 || box.right > edge.right + 1)) result.outside.push(node.data);
    const element = node.parentElement;
    // Words of a drawing have an outline, and a star is a picture.
    if (element.closest("svg, .star") || contrast(element) >= 4.5) continue;
    result.faint.push(`${node.data} (${getComputedStyle(element).color}: ${contrast(element).toFixed(2)})`);
  }
  return result;
}
