// Column: a long list appears screen by screen, so that 200 rows do not hold the page up, and scrolls in a box of its own.
import { A2uiLitElement, basicCatalog } from "@a2ui/lit/v0_9";
import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";

const ColumnApi = basicCatalog.components.get("Column")!;
const Basic = customElements.get("a2ui-basic-column") as unknown as typeof A2uiLitElement<any>;
const AT_ONCE = 24;

type Child = string | { id: string; basePath: string };

export class CampusColumn extends Basic {
  protected api = ColumnApi as any;
  private shown = AT_ONCE;

  render() {
    const props = (this as any).controller?.props;
    if (!props) return nothing;
    const children: Child[] = Array.isArray(props.children) ? props.children : [];
    this.classList.toggle("long", children.length > AT_ONCE);
    if (children.length > this.shown) requestAnimationFrame(() => this.more());
    const { surface, path } = this.context.dataContext;
    const key = (child: Child) => (typeof child === "string" ? `${path} ${child}` : `${child.basePath} ${child.id}`);
    // A row that is already there follows its data by itself; it need not be made again.
    return html`${repeat(children.slice(0, this.shown), key, (child) => guard([surface, key(child)], () => this.renderNode(child)))}`;
  }

  private more(): void {
    this.shown += AT_ONCE;
    this.requestUpdate();
  }
}

export const Column = { ...ColumnApi, tagName: "campus-column" };
customElements.define(Column.tagName, CampusColumn);
