import { describe, expect, it } from 'vitest'
import { readSettings } from './settings.ts'

const deploymentIn = (env: NodeJS.ProcessEnv) =>
  readSettings({ DATABASE_URL: 'postgres://localhost/treeos', ...env }).deployment

it.each(['TREEOS_MODEL_TIMEOUT_SECONDS', 'TREEOS_MODEL_PATIENCE_SECONDS', 'TREEOS_START_SECONDS'])(
  '%s is at most the longest timer of Node',
  (name) => {
    const read = (seconds: string) =>
      readSettings({ DATABASE_URL: 'postgres://localhost/treeos', [name]: seconds })
    expect(read('2147483')).toMatchObject({ [name]: 2_147_483 })
    for (const seconds of ['2147484', '1e400', '0'])
      expect(() => read(seconds)).toThrow(
        new RegExp(`^${name} is .*; it takes a number of seconds above 0, at most`),
      )
  },
)

describe('the version of a worker', () => {
  it.each([
    ['none', {}, null],
    ['none, of empty variables', { TEMPORAL_WORKER_BUILD_ID: '', TEMPORAL_DEPLOYMENT_NAME: '' }, null],
    ['of the task queue', { TEMPORAL_WORKER_BUILD_ID: '2.0.0' }, { buildId: '2.0.0', name: null }],
    [
      'of a deployment',
      { TEMPORAL_WORKER_BUILD_ID: '2.0.0', TEMPORAL_DEPLOYMENT_NAME: 'prod/treeos' },
      { buildId: '2.0.0', name: 'prod/treeos' },
    ],
  ])('is %s', (_what, env, deployment) => {
    expect(deploymentIn(env)).toEqual(deployment)
  })

  it.each([
    [
      { TEMPORAL_DEPLOYMENT_NAME: 'treeos' },
      /^TEMPORAL_DEPLOYMENT_NAME is "treeos" without TEMPORAL_WORKER_BUILD_ID/,
    ],
    [{ TEMPORAL_WORKER_BUILD_ID: 'a b' }, /^TEMPORAL_WORKER_BUILD_ID is "a b"; it takes/],
    [{ TEMPORAL_WORKER_BUILD_ID: '__1' }, /^TEMPORAL_WORKER_BUILD_ID is "__1"/],
    [
      { TEMPORAL_WORKER_BUILD_ID: '1', TEMPORAL_DEPLOYMENT_NAME: 'treeos.home' },
      /^TEMPORAL_DEPLOYMENT_NAME is "treeos.home"; it takes/,
    ],
  ])('is refused in %j', (env, says) => {
    expect(() => deploymentIn(env)).toThrow(says)
  })
})
