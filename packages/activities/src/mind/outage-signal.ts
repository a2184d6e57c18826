import { type FactDraft, worldReel } from '@treeos/core'
import { appendSystemFacts, readerOf } from '@treeos/reality'
import type { BeatDeps } from '../deps.ts'

/** The namespace of the signals of models, which belongs to TreeOS. */
const NAMESPACE = 'model'
const ATTEMPTS = 3

/**
 * Publishes the signal `model.<connection>.down`, and wakes the beings whose flows read it. Several workers
 * may do so at once: the first one writes the fact. Returns at once; a signal that is lost is published at
 * the next change.
 */
export function signalOutage(
  deps: Pick<BeatDeps, 'db' | 'reality' | 'observe' | 'ring'>,
  connection: string,
  isDown: boolean,
): void {
  publish(deps, connection, isDown).catch((error: unknown) =>
    deps.observe.error('the signal of a model', error),
  )
}

async function publish(
  { db, reality, ring }: Pick<BeatDeps, 'db' | 'reality' | 'ring'>,
  connection: string,
  isDown: boolean,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const reader = readerOf({ db, reality })
    const values = (await reader.world(NAMESPACE))?.values as OutageValues | undefined
    if ((values?.[connection]?.down ?? false) === isDown) return
    const payload = { namespace: NAMESPACE, key: [connection, 'down'], value: isDown }
    const draft: FactDraft = { reel: worldReel(NAMESPACE), kind: 'signal:published', payload }
    const woken = await appendSystemFacts({ db, reality }, [draft], reader)
    if (woken !== null) return ring(woken)
  }
}

type OutageValues = Readonly<Record<string, { readonly down?: boolean } | undefined>>
