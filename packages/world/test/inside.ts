/** The package, with what its own tests look into. */
import type { PinnedStack } from '@treeos/core'
import { nothingLive } from '../src/law/live.ts'
import type { PermissionQuestion } from '../src/law/why-not-allowed.ts'
import type { RowSource } from '../src/read/reader.ts'
import type { ActInputs } from '../src/verbs/act-inputs.ts'

export * from '../src/index.ts'
export { decideCall } from '../src/verbs/act.ts'
export type { ActInputs } from '../src/verbs/act-inputs.ts'
export type { CallForConsent } from '../src/verbs/consent/call-for-consent.ts'
export type { ConsentTerms } from '../src/verbs/consent/consent.ts'

/** What a call is decided from, as a moment that asks why it was not allowed. */
export function wonderingOf(at: ActInputs, source: RowSource): PermissionQuestion {
  const { moment, openedAt, wake, driver, caller, surface, role, fromOutside, me, registry, digest } = at
  const stack: PinnedStack = at.asking?.stack ?? {
    primary: { name: caller.role ?? '', digest: '' },
    stacked: [],
  }
  const open = {
    ...{ moment, openedAt, wake, driver, answers: null, caller: wake.caller, asked: null },
    ...{ cognition: { kind: caller.cognition } },
    ...(fromOutside ? { outside: true as const } : {}),
  }
  const live = nothingLive({
    asker: at.asker,
    entry: async (id) => {
      const found = await at.question(id)
      return found === null ? null : { ...found, closedBy: null }
    },
    thread: at.thread,
  })
  return {
    moment: { being: me.name, open, content: wake.content, worn: { stack, surface, role } },
    source,
    over: { live, registry, digest, goesOn: false },
  }
}
