import { expect, it } from 'vitest'
import { requireConnectionName } from './model-connection.ts'

it.each([
  'http://127.0.0.1/v1',
  'https://169.254.169.254/latest',
  '//127.0.0.1',
  '127.0.0.1',
  '[::1]',
  'localhost:11434',
  'judge@127.0.0.1',
  'judge?baseUrl=http://127.0.0.1',
  '../models.json',
  'file:///etc/passwd',
  'constructor',
  { baseUrl: 'http://127.0.0.1/v1', model: 'm' },
])('a being names a model connection of the operator, never an address: %j is refused', (name) => {
  expect(() => requireConnectionName('birth', name)).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  )
})

it('control: the name of a connection is taken', () => {
  expect(requireConnectionName('birth', 'judge')).toBe('judge')
})
