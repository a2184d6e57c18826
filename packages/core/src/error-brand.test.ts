import { expect, it, vi } from 'vitest'
import { NotPlainJsonError, TreeosError } from './index.ts'

vi.resetModules()
const other: typeof import('./index.ts') = await import('./index.ts')
const refusal = new other.TreeosError('FORBIDDEN', 'not allowed')

it('another copy of this package has other classes', () => {
  expect(other.TreeosError).not.toBe(TreeosError)
  expect(Object.getPrototypeOf(refusal)).not.toBe(TreeosError.prototype)
})

it('an error of another copy is told by its brand', () => {
  expect(refusal instanceof TreeosError).toBe(true)
  expect(new TreeosError('FORBIDDEN', 'not allowed') instanceof other.TreeosError).toBe(true)
  expect(new other.NotPlainJsonError('$', 'a function') instanceof NotPlainJsonError).toBe(true)
})

it('a brand tells one class and no other', () => {
  expect(refusal instanceof NotPlainJsonError).toBe(false)
  for (const value of [new Error('FORBIDDEN'), { code: 'FORBIDDEN' }, null, undefined, 'FORBIDDEN'])
    expect((value as unknown) instanceof TreeosError).toBe(false)
})

it('a subclass is told by its class, and by the brand of the class above it', () => {
  class OwnError extends TreeosError {}
  class AnotherError extends TreeosError {}
  const own = new OwnError('INTERNAL', 'mine')
  expect(own instanceof OwnError).toBe(true)
  expect(own instanceof AnotherError).toBe(false)
  expect(own instanceof other.TreeosError).toBe(true)
  expect(refusal instanceof OwnError).toBe(false)
})

it('a brand does not show in what is printed or compared', () => {
  expect(JSON.stringify(refusal)).toBe('{"code":"FORBIDDEN","message":"not allowed"}')
  expect(Object.keys(refusal)).not.toContain('treeos.TreeosError')
})
