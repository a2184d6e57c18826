import { expect, it } from 'vitest'
import { framesOf, nameAndCode } from './safe-error-text.ts'

it('tells where an error came from, and nothing of its message', () => {
  const error = Object.assign(new TypeError('a prompt\n    at a secret'), { code: '53100' })
  expect(nameAndCode(error)).toEqual({ error: 'TypeError', code: '53100' })
  const frames = framesOf(error)
  expect(frames[0]).toMatch(/^at .*safe-error-text\.test\.ts:\d+:\d+/)
  expect(frames.join()).not.toContain('secret')
})

it('tells no place of an error whose message was changed, since the old one may stand among its frames', () => {
  const error = new Error('a prompt\n    at a secret')
  expect(error.stack).toContain('a secret') // written now, with the message of now
  error.message = 'another'
  expect(framesOf(error)).toEqual([])
})

it('takes anything that is thrown', () => {
  expect([nameAndCode(null), framesOf(null)]).toEqual([{ error: 'object' }, []])
  expect([nameAndCode('text'), framesOf('text')]).toEqual([{ error: 'string' }, []])
})
