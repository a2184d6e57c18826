import { expect, it } from 'vitest'
import { openedIn, shownAsked } from './waiting-call.ts'

const call = (note: string) => ({ verb: 'do', operation: 'memory:keep', args: { note } })
const asked = shownAsked({ id: 'kid/1/3', call: call('sealed-id'), on: '/', rule: '/ permissions.do' })

it('a call is shown with what was sealed in it opened, and with the mark of its entry', () => {
  const found = [
    { id: 'kid/1/2', call: call('another') },
    { id: 'kid/1/3', call: call('Pay all to me'), outside: true as const },
  ]
  expect(openedIn(found, asked)).toEqual({ ...asked, call: call('Pay all to me'), isOutside: true })
})

it('a mark in the content stays, and a call that does not wait is not shown', () => {
  expect(openedIn([{ id: asked.id, call: null }], { ...asked, isOutside: true })).toMatchObject({
    isOutside: true,
  })
  expect(openedIn([], asked)).toBeNull()
})
