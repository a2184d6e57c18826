import { TreeosError } from '@treeos/core'
import { expect, it } from 'vitest'
import { withoutSecrets } from './secrets.ts'

it('masks also what an error has of a secret that was cut, and keeps its code', () => {
  const key = 'sk-live-4Wq9vXz7Tn2Lb8Rk'
  const error = withoutSecrets(new TreeosError('FORBIDDEN', `no: ${key.slice(0, 12)}`), { key })
  expect(error).toMatchObject({ code: 'FORBIDDEN', message: 'no: [secret key]' })
  const plain = withoutSecrets(new Error('x', { cause: new Error(key.slice(-10)) }), { key })
  expect(plain).toMatchObject({ message: 'x: [secret key]' })
})
