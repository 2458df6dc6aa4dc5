// Stands in for packages that CopilotKit brings along and this chat never uses: diagrams, code colours, MCP apps,
// the inspector, telemetry. A diagram or a program in an answer is shown as its source.
export const bundledLanguages = {};
export const createJavaScriptRegexEngine = () => undefined;
export const createHighlighter = async () => ({
  codeToTokens: (code) => ({ bg: "transparent", fg: "inherit", tokens: code.split("\n").map((content) => [{ content }]) }),
});
export default {
  initialize() {},
  render: async () => {
    throw new Error("Diagrams are not drawn here.");
  },
};
