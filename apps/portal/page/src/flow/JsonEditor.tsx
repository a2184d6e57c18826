import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { TypedJsonError } from '@treeos/core/typed-json'
import { useEffect, useRef } from 'react'
import { styleNonce } from '../shell/nonce.ts'
import { typedJson } from '../text/typed-json.ts'

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--mark)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-value)' },
])

const look = EditorView.theme({
  '&': { background: 'var(--raised)', color: 'inherit', fontSize: '0.8125rem' },
  '.cm-content': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    caretColor: 'currentColor',
    minHeight: '12rem',
  },
  '.cm-scroller': { maxHeight: '60vh', overflow: 'auto' },
  '.cm-gutters': { background: 'var(--ground)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    background: 'var(--code-selected)',
  },
  '.cm-specialChar': { color: 'var(--unseen)' },
})

/** Where the text cannot be read, and why. */
function faultsIn({ state: { doc } }: EditorView): Diagnostic[] {
  try {
    typedJson(doc.toString())
    return []
  } catch (error) {
    if (!(error instanceof TypedJsonError)) throw error
    const from = Math.min(error.offset, doc.length)
    return [{ from, to: Math.min(from + 1, doc.length), severity: 'error', message: error.message }]
  }
}

interface EditorProps {
  readonly label: string
  /** read once: what is written later is told by `onChange` */
  readonly start: string
  readonly onChange: (text: string) => void
}

/**
 * JSON with line numbers, undo, and marks where it is malformed. Characters that would not be seen are shown.
 */
export default function JsonEditor({ label, start, onChange }: EditorProps) {
  const box = useRef<HTMLDivElement>(null)
  const told = useRef(onChange)
  told.current = onChange
  // Once: the editor keeps its own text.
  useEffect(() => {
    if (box.current === null) return
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: start,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          lineNumbers(),
          history(),
          bracketMatching(),
          highlightSpecialChars(),
          EditorView.lineWrapping,
          json(),
          linter(faultsIn, { delay: 300 }),
          syntaxHighlighting(colours),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          look,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) told.current(update.state.doc.toString())
          }),
        ],
      }),
    })
    return () => view.destroy()
  }, [])
  return <div ref={box} className="json" />
}
