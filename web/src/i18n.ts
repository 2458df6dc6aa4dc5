// User-facing texts in Chinese and English. One place for every word on the page.
export type Language = "zh" | "en";

const TEXTS = {
  title: ["校园助手", "Campus assistant"],
  placeholder: ["问点什么…", "Ask something…"],
  send: ["发送", "Send"],
  stop: ["停止", "Stop"],
  newThread: ["新对话", "New chat"],
  welcome: ["你好，想吃点什么，还是要去哪儿？", "Hello! Hungry, or going somewhere?"],
  thinking: ["思考中…", "Thinking…"],
  waiting: ["等你回答", "waits for you"],
  running: ["进行中", "working"],
  done: ["完成", "done"],
  failed: ["失败", "failed"],
  stopped: ["已停止", "stopped"],
  retry: ["重试", "Try again"],
  you: ["你", "You"],
  assistant: ["助手", "Assistant"],
  agents: ["服务", "Agents"],
  noAgents: ["没有可用的服务", "No agents"],
  unknownCard: ["这张卡片暂时无法显示", "This card cannot be shown here"],
  transcript: ["对话", "Conversation"],
  language: ["English", "中文"],
  edit: ["修改问题", "Edit the question"],
  save: ["重新提问", "Ask again"],
  regenerate: ["重新回答", "Answer again"],
  question: ["需要你的回答", "Your answer is needed"],
  answer: ["回答", "Answer"],
  cancel: ["取消", "Cancel"],
  change: ["更改", "Change"],
  approve: ["同意", "Approve"],
  reject: ["拒绝", "Reject"],
  approved: ["已同意", "Approved"],
  rejected: ["已拒绝", "Rejected"],
  reason: ["理由（可不填）", "Reason (optional)"],
  unlocked: ["已解锁，继续", "It is unlocked, go on"],
  unlockedShort: ["已解锁", "Unlocked"],
  noneChosen: ["都不选", "None"],
  cancelledAnswer: ["已取消", "Cancelled"],
  expired: ["这个问题已过期，只能取消。", "This question has expired. It can only be cancelled."],
  until: ["请在此之前回答：", "Answer before"],
  unanswerable: ["这里无法回答，只能取消。", "It cannot be answered here, only cancelled."],
  blocked: ["请先回答或取消上面的问题。", "Answer or cancel the question above first."],
  network: ["连不上服务器，请检查网络后重试。", "The server cannot be reached. Check the network and try again."],
  reconnecting: ["连接断开了，正在重新连接…", "The connection was lost. Reconnecting…"],
  failedRun: ["出了点问题，请重试。", "Something went wrong. Try again."],
  GRAPH_STEP_LIMIT: ["这个问题步骤太多，请拆开来问。", "The question took too many steps. Ask for less."],
  LLM_AUTH_FAILED: ["语言模型拒绝了我们的凭证，请联系管理员。", "The language model refused our credentials. Tell an operator."],
  LLM_RATE_LIMITED: ["语言模型正忙，请稍后再试。", "The language model is busy. Try again in a moment."],
  LLM_UNREACHABLE: ["暂时连不上语言模型，请稍后再试。", "The language model cannot be reached. Try again."],
  LLM_TRUNCATED: ["回答没有说完，请再试一次。", "The answer broke off. Try again."],
  SHUTTING_DOWN: ["服务正在重启，请稍后再试。", "The server is restarting. Try again in a moment."],
  thread_busy: ["上一条还在处理，请稍等。", "The last question is still being answered."],
  body_too_large: ["内容太长了。", "That is too long."],
  message_too_large: ["消息太长了，请缩短一些。", "The message is too long. Shorten it."],
} satisfies Record<string, [string, string]>;

export type Key = keyof typeof TEXTS;

export const EXAMPLES: Record<Language, string[]> = {
  zh: ["推荐几道辣的菜", "哪个食堂现在最不挤？下一班去图书馆的校车几点？", "各食堂现在的拥挤热力图", "二食堂有哪些档口"],
  en: [
    "recommend some spicy dishes",
    "which canteen is least crowded now and when is the next shuttle to the library?",
    "show a heat map of the canteens",
    "where can I park near the library?",
  ],
};

let language: Language =
  (localStorage.getItem("language") as Language | null) ?? (navigator.language.startsWith("zh") ? "zh" : "en");

export const current = (): Language => language;

export function choose(next: Language): void {
  language = next;
  localStorage.setItem("language", next);
  document.documentElement.lang = next;
}

export const t = (key: Key): string => TEXTS[key][language === "zh" ? 0 : 1];

/** The text for a stable code of the server, or `fallback` when the page does not know it. */
export const forCode = (code: string | undefined, fallback: string): string =>
  code !== undefined && code in TEXTS ? t(code as Key) : fallback;
