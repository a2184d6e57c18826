import { expect, it } from 'vitest'
import { readReady, workerEnvironment } from './workers.ts'

const METRICS = 'http://127.0.0.1:4000/metrics'
const ready = (mind: object | null) =>
  JSON.stringify({ ready: true, pid: 7, taskQueue: 'treeos-home', mind, metrics: METRICS })

it.each([
  { what: 'nothing yet', log: '', detail: null },
  {
    what: 'other things',
    log: '{"level":40,"msg":"waiting for Postgres, \\"ready\\":true"}\n',
    detail: null,
  },
  { what: 'that it works, without a mind', log: ready(null), detail: { metrics: METRICS } },
  {
    what: 'that it works, between other things',
    log: `{"level":30}\n${ready({ model: 'm', baseUrl: 'http://b/v1' })}\n{"level":30}`,
    detail: { metrics: METRICS, model: 'm', baseUrl: 'http://b/v1' },
  },
])('a worker whose log says $what', ({ log, detail }) => {
  expect(readReady(log)).toEqual(detail)
})

it('a worker gets its own login, that of acts by signal where they are on, and no other, nor a secret of the portal', () => {
  const place = { databaseUrl: 'postgres://worker@a/b', signalsUrl: null }
  const env = {
    TEMPORAL_ADDRESS: 'a:1',
    DATABASE_URL: 'postgres://worker@a/b',
    TREEOS_OWNER_DATABASE_URL: 'postgres://owner:secret@a/b',
    TREEOS_PEOPLE_DATABASE_URL: 'postgres://people:secret@a/b',
    TREEOS_SIGNALS_DATABASE_URL: 'postgres://signals:secret@a/b',
    TREEOS_PORTAL_OIDC_CLIENT_SECRET: 'a secret of the portal',
  }
  expect(workerEnvironment('/data', place, env)).toMatchObject({ DATABASE_URL: place.databaseUrl })
  expect(JSON.stringify(workerEnvironment('/data', place, env))).not.toMatch(
    /owner|people|signals|of the portal/,
  )
  const on = workerEnvironment('/data', { ...place, signalsUrl: 'postgres://signal@a/b' }, env)
  expect(on).toMatchObject({ TREEOS_SIGNALS_DATABASE_URL: 'postgres://signal@a/b' })
})
