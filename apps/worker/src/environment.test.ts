import { expect, it } from 'vitest'
import { takeEnvironment } from './environment.ts'

it('the settings of a worker leave its environment, and what programs need stays', () => {
  const env = {
    PATH: '/bin',
    HOME: '/home/x',
    NODE_EXTRA_CA_CERTS: '/ca',
    DATABASE_URL: 'postgres://u:secret@h/d',
    OPENAI_API_KEY: 'sk-1',
    TEMPORAL_API_KEY: 't',
    TREEOS_SECRET_GITHUB: 'ghp',
    MAIL_TOKEN: 'm',
    SHOP_URL: 'https://shop',
    TREEOS_EXTENSION_VARIABLES: 'SHOP_URL, OTHER',
  }
  const before = { ...env }
  expect(takeEnvironment(env)).toEqual(before)
  expect(env).toEqual({ PATH: '/bin', HOME: '/home/x', NODE_EXTRA_CA_CERTS: '/ca', SHOP_URL: 'https://shop' })
})
