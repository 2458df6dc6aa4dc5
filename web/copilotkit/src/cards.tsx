// Cards in the transcript: A2UI surfaces, and words for everything that cannot be drawn.
import { createA2UIMessageRenderer, type ReactActivityMessageRenderer } from "@copilotkit/react-core/v2";
import { viewerTheme } from "@copilotkit/a2ui-renderer";
import { z } from "zod";
import { campusCatalog } from "./catalog";
import { t } from "./i18n";

type Renderer = ReactActivityMessageRenderer<any>;

/** `busy`: a click starts a run, which would cut off the one that is going on, or walk past an open question. */
export function cardRenderers(busy: () => boolean): Renderer[] {
  const a2ui = createA2UIMessageRenderer({
    theme: viewerTheme as any,
    catalog: campusCatalog,
    onAction: () => (busy() ? null : undefined),
  });
  const card: Renderer["render"] = (props) => {
    const { content, activityType } = props;
    const drawable = Array.isArray(content.a2ui_operations) && content.a2ui_operations.length > 0;
    const type = content.card_type ?? activityType;
    return (
      <div className={drawable ? "card" : "card unreadable"} data-testid="card" data-card-type={type}>
        {drawable ? <a2ui.render {...props} /> : <>{content.bubble_text ?? t("unknownCard")} <small>({type})</small></>}
      </div>
    );
  };
  return [
    { activityType: "a2ui-surface", content: z.any(), render: card },
    { activityType: "*", content: z.any(), render: card },
  ];
}
