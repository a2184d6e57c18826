const shown = { title: 'TreeOS', waiting: 0 }

/** Changes the title of the tab of the browser: `(3) Inbox · TreeOS` while three entries need the person. */
export function showInTab(changed: Partial<typeof shown>): void {
  Object.assign(shown, changed)
  document.title = `${shown.waiting === 0 ? '' : `(${shown.waiting}) `}${shown.title}`
}
