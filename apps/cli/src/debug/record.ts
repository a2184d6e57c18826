import { inspectMoment, newestMoment, stackChange } from '@treeos/client/records'
import { type BeingName, stanceOf } from '@treeos/core'
import { instanceDir, temporalUiOf } from '@treeos/local'
import { beingWorkflowId } from '@treeos/protocol'
import type { Registry } from '@treeos/world'
import type { InstanceOptions } from '../cli.ts'
import type { ReadConnection } from '../instance/connection.ts'
import { withServices } from '../instance/with-instance.ts'
import { failureOf } from '../text/failure.ts'
import type { DebugRecord } from './session.ts'

/** The record of one being in Postgres, and where Temporal shows it. */
export function recordFor(
  { db, reality, registry }: ReadConnection & { readonly registry: Registry },
  being: BeingName,
  options: InstanceOptions,
): DebugRecord {
  const { ui, namespace } = temporalUiOf(instanceDir(options))
  const workflow =
    ui === null
      ? null
      : `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(beingWorkflowId(reality.name, being))}`
  return {
    newest: () => newestMoment(db, being),
    stackChange: (n, by) => stackChange(db, being, n, by),
    load: async (n, newest) => ({
      stance: stanceOf(being),
      n,
      newest,
      ...(await inspectMoment({ db, registry }, being, n)),
      temporal: { workflow, event: null },
    }),
    event: async ({ n }) => {
      if (workflow === null) return null
      const place = await momentPlace(options, db, being, n).catch(nullIfAway)
      return place === null ? null : `${workflow}/${place.runId}/history/events/${place.eventId}`
    },
  }
}

/** The page stands without Temporal. */
function nullIfAway(error: unknown): null {
  if (failureOf(error).code === 'SERVICE_UNAVAILABLE') return null
  throw error
}

async function momentPlace(options: InstanceOptions, db: ReadConnection['db'], being: BeingName, n: number) {
  const { findOutcomeByNumber: readOutcomeByNumber } = await import('@treeos/store')
  const { loadReplay } = await import('../instance/stored-replays.ts')
  const { locateMoment } = await loadReplay()
  const outcome = await readOutcomeByNumber(db, being, n)
  if (outcome === null) return null
  return withServices(options, ({ temporal, reality }) =>
    locateMoment(temporal, reality.name, { being, moment: outcome.moment, endedAt: outcome.sealedAt }),
  )
}
