import { useEffect, useRef, useState } from 'react'
import { useDraft } from '../roles/useDraft.ts'
import { orderedJson } from '../text/ordered-json.ts'
import { typedJson } from '../text/typed-json.ts'

/**
 * The draft of a flow. Its views keep what is written in them. They begin anew when the flow becomes another
 * one in any other way: the draft is dropped, or another flow is published. Then `revision` changes.
 */
export function useFlowDraft(name: string, published: unknown) {
  const draft = useDraft<unknown>('flow', name, published, [])
  const text = orderedJson(draft.value)
  const [revision, setRevision] = useState(0)
  /** why the text that is written is not JSON; null when it is */
  const [broken, setBroken] = useState<string | null>(null)
  const shown = useRef(text)
  useEffect(() => {
    if (shown.current === text) return
    shown.current = text
    setRevision((n) => n + 1)
  }, [text])
  const write = (flow: unknown) => {
    shown.current = orderedJson(flow)
    draft.write(flow)
  }
  const writeJson = (written: string) => {
    try {
      write(typedJson(written))
      setBroken(null)
    } catch (error) {
      setBroken((error as Error).message)
    }
  }
  const drop = () => {
    draft.drop()
    setBroken(null)
  }
  return { ...draft, text, revision, broken, write, writeJson, drop }
}
