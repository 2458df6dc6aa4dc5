// The words of the chat page, and the few that only this one needs.
import { current, t } from "../../src/i18n";

export { choose, current, EXAMPLES, t } from "../../src/i18n";

const OWN = {
  stopped: ["已停止", "Stopped"],
  copy: ["复制", "Copy"],
  copied: ["已复制", "Copied"],
} satisfies Record<string, [string, string]>;

export const own = (key: keyof typeof OWN): string => OWN[key][current() === "zh" ? 0 : 1];

/** CopilotKit's own labels, as far as they can be seen here. */
export const labels = () => ({
  chatInputPlaceholder: t("placeholder"),
  assistantMessageToolbarCopyMessageLabel: own("copy"),
  assistantMessageToolbarCopyCodeLabel: own("copy"),
  assistantMessageToolbarCopyCodeCopiedLabel: own("copied"),
  userMessageToolbarCopyMessageLabel: own("copy"),
});
