import { sumUp } from '@treeos/local'
import { expect, it } from 'vitest'
import { judgeLifeSigns, type Signs } from './life-signs.ts'
import { judgeTasks } from './task-queue.ts'

const URL_OF_7 = 'http://127.0.0.1:4000/metrics'
const vitals = (text = '') => sumUp([text])
const well: Signs = {
  services: [
    { name: 'postgres', pid: 5, runs: true },
    { name: 'temporal', pid: 6, runs: true },
    { name: 'worker-1', pid: 7, runs: true },
  ],
  keeper: 4,
  workers: [{ pid: 7, url: URL_OF_7, answers: true }],
  vitals: vitals(),
  wakes: { waiting: 0, oldestSeconds: 0 },
  wakesLater: null,
  parked: 0,
  paced: 0,
  pacedAuthors: [],
  late: [],
  differing: [],
  living: 1,
  login: { name: 'treeos_worker', isSuperuser: false, ownsTables: false },
  unread: null,
}
const [postgres, temporal, worker] = well.services as [Service, Service, Service]
type Service = Signs['services'][number]
const without = { services: [postgres, temporal], workers: [], vitals: null, living: 0 }

it('nothing is wrong where all is well', () => {
  expect(judgeLifeSigns(well, '')).toEqual([
    { name: 'instance', ok: true, found: 'postgres, temporal, worker-1 run', mend: null },
    { name: 'workers', ok: true, found: '1 worker lives, wherever they run', mend: null },
    { name: 'metrics', ok: true, found: URL_OF_7, mend: null },
    { name: 'wakes', ok: true, found: 'nothing waits', mend: null },
    {
      name: 'login',
      ok: true,
      found: 'workers log in to Postgres as treeos_worker, which owns nothing',
      mend: null,
      optional: true,
    },
    { name: 'model', ok: true, found: 'not called yet', mend: null, optional: true },
  ])
})

it.each<{ what: string; signs: Partial<Signs>; name: string; found: string; mend: string }>([
  {
    what: 'a Postgres that cannot be read',
    signs: { wakes: null, login: null, unread: new Error('password authentication failed') },
    name: 'wakes',
    found: 'could not be checked: password authentication failed',
    mend: 'repair what the other checks name, then treeos doctor again',
  },
  {
    what: 'a person whose beings wake others too often',
    signs: { pacedAuthors: [{ person: 'ada', seconds: 90 }] },
    name: 'changes',
    found:
      'the beings of @ada (the last one in 90 s) change what wakes others more than 600 times a minute: the wakes wait',
    mend: 'treeos tail --data d shows what they write; let them write less often, or let fewer flows read it',
  },
  {
    what: 'a moment about whose stack worker and workflow disagree',
    signs: {
      differing: [
        {
          being: 'solomon',
          moment: 'solomon/1/3',
          message: 'the worker gave a, the workflow b',
          recorded: 'a',
          given: 'b',
        },
      ],
    },
    name: 'stacks',
    found: 'solomon/1/3: the worker gave a, the workflow b. These beings live no more, since their runs fail',
    mend:
      'start the workers with the code by which the record is right, or treeos accept-difference MOMENT --data d: ' +
      'docs/running.md (When worker and workflow disagree)',
  },
  {
    what: 'no worker',
    signs: without,
    name: 'instance',
    found: 'no worker runs: no being acts until one does',
    mend: 'treeos up --data d',
  },
  {
    what: 'a worker that died',
    signs: { ...without, services: [postgres, temporal, { ...worker, runs: false }] },
    name: 'instance',
    found: 'worker-1 (process 7) ended, no worker runs',
    mend: 'treeos up --data d',
  },
  {
    what: 'a server that died',
    signs: { services: [{ ...postgres, runs: false }, temporal, worker] },
    name: 'instance',
    found: 'postgres (process 5) ended',
    mend: 'treeos up --data d',
  },
  {
    what: 'a supervisor that was killed',
    signs: { keeper: null },
    name: 'instance',
    found: 'no supervisor runs: what ends is not started again',
    mend: 'treeos up --detach --data d',
  },
  {
    what: 'a being that a budget has parked',
    signs: { parked: 1 },
    name: 'budgets',
    found: '1 being is parked by a budget: its wakes wait until somebody approves',
    mend: 'treeos inbox --data d says of whom and of which limit; treeos budget set @BEING JSON, or treeos do @BEING unpark-being, lets it go on',
  },
  {
    what: 'a worker that hangs',
    signs: { workers: [{ pid: 7, url: URL_OF_7, answers: false }], vitals: null },
    name: 'metrics',
    found: `process 7 does not answer at ${URL_OF_7}: it hangs, or has far too much to do`,
    mend: 'kill -9 7, then treeos up --data d',
  },
  {
    what: 'a wake that no one takes',
    signs: { wakes: { waiting: 1, oldestSeconds: 60 }, late: ['echo'] },
    name: 'wakes',
    found: '1 wake waits, the oldest for 60 s (of @echo): its being is busy, or stuck',
    mend: "treeos worker --data d (one more); if that does not help, treeos status --data d names the Temporal UI, where the being's timeline says why",
  },
  {
    what: 'wakes of many beings that no one takes, since no worker runs',
    signs: { ...without, wakes: { waiting: 5, oldestSeconds: 300 }, late: ['a', 'b', 'c', 'd'] },
    name: 'wakes',
    found: '5 wakes wait, the oldest for 5 min (of @a, @b, @c, …): no worker runs',
    mend: 'treeos up --data d',
  },
  {
    what: 'a line that grows',
    signs: { wakes: { waiting: 20, oldestSeconds: 5 }, wakesLater: { waiting: 25, oldestSeconds: 8 } },
    name: 'wakes',
    found: '20 wakes wait, and 3 s later 25: wakes come in faster than moments end',
    mend: 'treeos worker --data d (one more)',
  },
  {
    what: 'a line that grows behind a busy processor',
    signs: {
      vitals: vitals('treeos_worker_busy_ratio 0.97'),
      wakes: { waiting: 20, oldestSeconds: 5 },
      wakesLater: { waiting: 25, oldestSeconds: 8 },
    },
    name: 'wakes',
    found:
      '20 wakes wait, and 3 s later 25: wakes come in faster than moments end; what limits is the processor: a worker has no time left, so another core and one more worker would help',
    mend: 'treeos worker --data d (one more)',
  },
  {
    what: 'a model that fails',
    signs: {
      vitals: vitals(
        'treeos_model_calls_total{answer="call"} 9\ntreeos_model_calls_total{answer="failure"} 1',
      ),
    },
    name: 'model',
    found: '10 calls since the start, 1 failed, 0 lost and tried again',
    mend: 'treeos moments @BEING tells why of each; check OPENAI_API_KEY, OPENAI_BASE_URL and TREEOS_MODEL; treeos down --data d, then treeos up --data d',
  },
  {
    what: 'a model that cannot be reached',
    signs: { vitals: vitals('treeos_model_calls_total{answer="lost"} 3') },
    name: 'model',
    found: '3 calls since the start, 0 failed, 3 lost and tried again',
    mend: 'check that OPENAI_BASE_URL answers, and that the provider is not out of quota; treeos down --data d, then treeos up --data d',
  },
  {
    what: 'no model for beings that need one',
    signs: { vitals: vitals('treeos_moments_total{outcome="failure",reason="LLM_NOT_CONFIGURED"} 2') },
    name: 'model',
    found: '2 moments failed since the start because no model is connected',
    mend: 'set OPENAI_API_KEY (or OPENAI_BASE_URL) and TREEOS_MODEL, or start Ollama; treeos down --data d, then treeos up --data d',
  },
])('$what is told, with what mends it', ({ signs, name, found, mend }) => {
  const checks = judgeLifeSigns({ ...well, ...signs }, ' --data d')
  expect(checks.find((check) => check.name === name)).toMatchObject({ ok: false, found, mend })
})

it.each<{ what: string; signs: Partial<Signs> }>([
  { what: 'a wake that has just come', signs: { wakes: { waiting: 1, oldestSeconds: 59 } } },
  {
    what: 'a long line that is being lived',
    signs: { wakes: { waiting: 50, oldestSeconds: 5 }, wakesLater: { waiting: 50, oldestSeconds: 5 } },
  },
  {
    what: 'an old wake that waits for a budget, and one that has just come',
    signs: { wakes: { waiting: 2, oldestSeconds: 300 }, paced: 1 },
  },
  {
    what: 'a line that grows, all for a budget',
    signs: {
      wakes: { waiting: 20, oldestSeconds: 5 },
      wakesLater: { waiting: 25, oldestSeconds: 8 },
      paced: 20,
    },
  },
  {
    what: 'one failed call among many',
    signs: {
      vitals: vitals('treeos_model_calls_total{answer="call"} 10\ntreeos_model_calls_total{answer="lost"} 1'),
    },
  },
  { what: 'a worker that is starting', signs: { workers: [{ pid: 7, url: null, answers: false }] } },
])('$what is nothing wrong', ({ signs }) => {
  expect(judgeLifeSigns({ ...well, ...signs }, '').filter(({ ok }) => !ok)).toEqual([])
})

it.each([
  ['a superuser', { isSuperuser: true, ownsTables: true }, /as boss, a superuser: /],
  ['the owner of the tables', { isSuperuser: false, ownsTables: true }, /as boss, the owner of the tables: /],
])('warns when workers log in as %s', (_what, rights, found) => {
  const login = judgeLifeSigns({ ...well, login: { name: 'boss', ...rights } }, '').find(
    ({ name }) => name === 'login',
  )
  expect(login).toMatchObject({ ok: false, optional: true, mend: expect.stringContaining('DATABASE_URL') })
  expect(login?.found).toMatch(found)
})

it('workers of their own are judged by what Postgres tells', () => {
  const own = { ...well, services: [], keeper: null, workers: [], vitals: null }
  const named = (living: number) => judgeLifeSigns({ ...own, living }, '').map(({ name, ok }) => [name, ok])
  expect(named(2).slice(0, 2)).toEqual([
    ['workers', true],
    ['wakes', true],
  ])
  expect(named(0)[0]).toEqual(['workers', false])
})

it('runs whose tasks fail are named with the cause', () => {
  expect(judgeTasks([])).toMatchObject({ ok: true })
  const failing = ['ann', 'bo', 'cy', 'di'].map((name) => ({
    workflowId: `being/home/${name}`,
    causes: ['WorkflowTaskFailedCauseNonDeterministicError'],
  }))
  const { ok, found } = judgeTasks(failing)
  expect(ok).toBe(false)
  expect(found).toContain('"being/home/ann" (WorkflowTaskFailedCauseNonDeterministicError)')
  expect(found).toContain('and 1 more')
})
