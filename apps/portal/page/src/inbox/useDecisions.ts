import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../account/queries.ts'
import { doOf } from '../api/deed.ts'
import { tellFailure } from '../api/notices.ts'
import type { PersonAnswer } from '../asked/AskedForm.tsx'
import type { WaitingCall } from '../asked/waiting-call.ts'
import { t } from '../language/index.ts'
import type { InboxEntry } from './entry.ts'
import { useHeldBack } from './held-back.ts'
import { senderOf } from './sender.ts'
import { tellEntry } from './tell-entry.ts'

/** A yes or a no to the call of an entry. */
export interface CallDecision {
  readonly entry: InboxEntry
  readonly asked: WaitingCall
  readonly said: PersonAnswer
}

export const saidIn = ({ answer }: PersonAnswer): string => (answer === 'approve' ? t('yes') : t('no'))

export const decide = ({ id }: WaitingCall, { answer, why }: PersonAnswer) =>
  doOf({ operation: answer, args: { id, ...(why === undefined ? {} : { why }) } })

/**
 * Whether a decision may wait until it cannot be undone any more. The passkey of a person who signs acts is
 * asked for at once: browsers ask for one only just after a press.
 */
export function useMayWait(): boolean {
  const { data } = useQuery(accountQuery)
  return data !== undefined && !data.passkeys.some(({ signs }) => signs)
}

/**
 * Decisions that can be undone for some seconds. Meanwhile their entries are in no list. One that is not made
 * is told over whichever page the person is on; its entry is in the list again.
 * @param onRefused hears of it
 */
export function useDecisions(onRefused: () => void) {
  const queries = useQueryClient()
  const [sent, setSent] = useState<readonly string[]>([])
  const { held, hold, undo } = useHeldBack(async ({ entry, asked, said }: CallDecision) => {
    const { correlation } = entry
    setSent((before) => [...before, correlation])
    try {
      await decide(asked, said)
      await queries.invalidateQueries()
    } catch (error) {
      onRefused()
      tellFailure(queries, {
        what: t('Your {{answer}} was not taken: {{sender}} {{entry}}.', {
          answer: saidIn(said),
          sender: senderOf(entry),
          entry: tellEntry(entry),
        }),
        why: (error as Error).message,
        entry: correlation,
      })
    } finally {
      setSent((before) => before.filter((one) => one !== correlation))
    }
  })
  const isGone = ({ correlation }: InboxEntry) =>
    held?.entry.correlation === correlation || sent.includes(correlation)
  return { held, hold, undo, isGone }
}
