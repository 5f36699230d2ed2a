/** Texts of the portrait of a person. */

export const en = {
  "portrait.title": "Portrait",
  "portrait.more": "and {n} more",
  "portrait.source": "Source {n}: {text}",
  "portrait.save": "Save as card (PNG)",
  "portrait.saved": "Saved as {name}",
  "portrait.failed": "The card was not saved: {why}",
  "portrait.card": "Mnemoscene · {when}",
};

export const zh: Record<keyof typeof en, string> = {
  "portrait.title": "人物小像",
  "portrait.more": "等，另有 {n} 项",
  "portrait.source": "来源 {n}：{text}",
  "portrait.save": "存为卡片（PNG）",
  "portrait.saved": "已保存为 {name}",
  "portrait.failed": "未能保存卡片：{why}",
  "portrait.card": "Mnemoscene · {when}",
};
