/** Texts of the menu that exports a view. */

export const en = {
  "export.link": "Copy the link",
  "export.link.why": "Opens the same view with its filters, time and selection",
  "export.png": "Picture (PNG)",
  "export.png.why": "For documents and messages",
  "export.svg": "Drawing (SVG)",
  "export.svg.why": "Sharp at any size, editable",
  "export.json": "Data (JSON)",
  "export.json.why": "Everything shown, with the filters",
  "export.graphml": "Graph (GraphML)",
  "export.graphml.why": "For Gephi, networkx, yEd",
  "export.saved": "Saved as {name}",
  "export.failed": "Export failed: {why}",
  "export.caption": "Mnemoscene · {whose} · {when} · {size}",
};

export const zh: Record<keyof typeof en, string> = {
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
  "export.failed": "导出失败：{why}",
  "export.caption": "Mnemoscene · {whose} · {when} · {size}",
};
