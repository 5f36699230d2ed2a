/** Words for taking a view along and for what stands behind a fact. */

export const en = {
  "export.title": "Take this view along",
  "export.link": "Copy the link",
  "export.link.why": "Opens the same view, filters, time and selection",
  "export.png": "Picture (PNG)",
  "export.png.why": "To paste into a text or a message",
  "export.svg": "Drawing (SVG)",
  "export.svg.why": "Sharp at any size, can be edited",
  "export.json": "Data (JSON)",
  "export.json.why": "What is shown, with how it was filtered",
  "export.graphml": "Graph (GraphML)",
  "export.graphml.why": "For Gephi, networkx, yEd",
  "export.saved": "Saved as {name}",
  "export.failed": "That did not work: {why}",
  "export.caption": "Mnemograph · {whose} · {when} · {n} {n|thing|things}, {m} {m|link|links}",
  "keys.export": "Take the view along",
};

export const zh: Record<keyof typeof en, string> = {
  "export.title": "带走当前视图",
  "export.link": "复制链接",
  "export.link.why": "打开同样的视图、筛选、时间和所选内容",
  "export.png": "图片（PNG）",
  "export.png.why": "可粘贴到文档或消息中",
  "export.svg": "矢量图（SVG）",
  "export.svg.why": "任意缩放都清晰，可以编辑",
  "export.json": "数据（JSON）",
  "export.json.why": "当前显示的内容及其筛选方式",
  "export.graphml": "图（GraphML）",
  "export.graphml.why": "用于 Gephi、networkx、yEd",
  "export.saved": "已保存为 {name}",
  "export.failed": "没有成功：{why}",
  "export.caption": "Mnemograph · {whose} · {when} · {n} 项内容，{m} 条关联",
  "keys.export": "带走当前视图",
};
