import type { TrialEstimate, TrialLine, TrialSummary } from '@treeos/trials/forms'
import { useEffect, useRef, useState } from 'react'
import { api, ask, Refusal } from '../api/client.ts'
import { eventsIn } from '../api/events.ts'
import { t } from '../language/index.ts'

/** A trial as a file holds it. */
export interface TrialFile {
  readonly trial: 1
  readonly moments: Readonly<Record<string, unknown>>
  readonly candidates: Readonly<Record<string, object>>
}

interface TrialState {
  readonly file: TrialFile
  readonly estimate: TrialEstimate | null
  readonly lines: readonly TrialLine[]
  readonly summary: TrialSummary | null
  readonly isRunning: boolean
  readonly error: Error | null
}

/** A trial: first what it takes, then line by line what comes of it. It ends when the page is left. */
export function useTrial() {
  const [trial, setTrial] = useState<TrialState | null>(null)
  const leaving = useRef<AbortController | null>(null)
  const stop = () => leaving.current?.abort()
  useEffect(() => stop, [])
  const begin = (file: TrialFile) => {
    stop()
    const stopping = new AbortController()
    leaving.current = stopping
    const { signal } = stopping
    let now: TrialState = { file, estimate: null, lines: [], summary: null, isRunning: true, error: null }
    const show = (next: Partial<TrialState>) => {
      now = { ...now, ...next }
      setTrial(now)
    }
    show({})
    const doing = async (work: () => Promise<void>) => {
      try {
        await work()
      } catch (error) {
        if (!signal.aborted) show({ error: error as Error })
      }
      show({ isRunning: false })
    }
    return { signal, show, doing, lines: () => now.lines }
  }
  const estimate = (file: TrialFile) => {
    const { signal, show, doing } = begin(file)
    return doing(async () => {
      const answered = await api.trials.estimate.$post({ json: { trial: file } }, { init: { signal } })
      show({ estimate: (await answered.json()) as TrialEstimate })
    })
  }
  const run = (file: TrialFile, estimate: TrialEstimate) => {
    const { signal, show, doing, lines } = begin(file)
    show({ estimate })
    return doing(async () => {
      const json = { trial: file }
      const { body } = await ask(api.trials.$url(), { method: 'POST', body: JSON.stringify(json), signal })
      if (body === null) throw new Refusal('INTERNAL', t('the portal answered without a body'))
      for await (const { event, data } of eventsIn(body)) {
        const told: unknown = JSON.parse(data)
        if (event === 'line') show({ lines: [...lines(), told as TrialLine] })
        if (event === 'summary') show({ summary: told as TrialSummary })
        if (event === 'refused') throw refusalOf(told as { readonly code: string; readonly message: string })
      }
    })
  }
  return { trial, estimate, run, stop }
}

const refusalOf = ({ code, message }: { readonly code: string; readonly message: string }): Refusal =>
  new Refusal(code, message)
