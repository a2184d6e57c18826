import type { CheckpointedReport, HoldView, PersonDataItem } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { withReality } from '../instance/with-instance.ts'
import { answered, listed, type Service } from './serve.ts'

export const HOLDS: Service<null, readonly HoldView[]> = {
  record: (options) => withReality(options, ({ db }, { holds }) => holds(db)),
  api: (treeos) => answered(treeos.api.GET('/holds', {})),
}

interface PersonAsked {
  readonly person: BeingName
  /** with what each item says */
  readonly contents: boolean
}

/** All that is kept of a person, oldest first. */
export const PERSON_DATA: Service<PersonAsked, readonly PersonDataItem[]> = {
  record: (options, asked) =>
    withReality(options, async ({ db }, { personData }) => {
      const { items } = await personData(db, { ...asked, skip: 0, limit: ITEMS_MAX })
      return items
    }),
  api: (treeos, { person: name, contents }) =>
    listed((query) =>
      treeos.api.GET('/people/{name}/data', {
        params: { path: { name }, query: { ...query, contents: contents ? 'true' : 'false' } },
      }),
    ),
}
const ITEMS_MAX = 10_000_000

/** What auditors ask of a period. */
export const REPORT: Service<{ readonly since: number; readonly until: number }, CheckpointedReport> = {
  record: (options, within) =>
    withReality(options, async (at, { periodReport }) => {
      const report = await periodReport(at, within)
      const { checkpointedLog } = await import('../instance/signed-checkpoints.ts')
      const newest = [checkpointedLog(options, at), checkpointedLog(options, at, { cosigned: true })]
      const checkpoints = newest.flatMap((one) => (one === null ? [] : [{ size: one.size, note: one.note }]))
      return { ...report, checkpoints }
    }),
  api: (treeos, { since, until }) => {
    const query = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
    return answered(treeos.api.GET('/report', { params: { query } }))
  },
}
