import { expect, it } from 'vitest'
import { ownVariables } from './own-programs.ts'

const env = {
  DATABASE_URL: 'postgres://w:one@db.example/treeos',
  TREEOS_PEOPLE_DATABASE_URL: 'postgres://p@db.example/treeos',
  TREEOS_ACT_SIGNAL: '0',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  TEMPORAL_API_KEY: 'two',
  OPENAI_API_KEY: 'three',
}

it('names the logins of workers and clients, and how to reach Temporal', () => {
  expect(ownVariables('/nowhere', env)).toEqual([
    { name: 'DATABASE_URL', value: env.DATABASE_URL, isSecret: true, for: 'worker' },
    {
      name: 'TREEOS_PEOPLE_DATABASE_URL',
      value: env.TREEOS_PEOPLE_DATABASE_URL,
      isSecret: false,
      for: 'client',
    },
    { name: 'TEMPORAL_ADDRESS', value: env.TEMPORAL_ADDRESS, isSecret: false, for: 'both' },
    { name: 'TEMPORAL_API_KEY', value: 'two', isSecret: true, for: 'both' },
  ])
})

it('of an instance that does not run says how to start it', () => {
  expect(() => ownVariables('/nowhere', {})).toThrow('start it with `treeos up --data /nowhere`')
})
