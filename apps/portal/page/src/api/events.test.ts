import { describe, expect, it } from 'vitest'
import { EventReader } from './events.ts'

describe('a reader of server-sent events', () => {
  it('puts events together however they are cut', () => {
    const text =
      'event: moment\ndata: {"a":1}\nid: 4.0\n\n: lives\n\nevent: fact\ndata: one\ndata: two\nid: 4.1\n\n'
    const whole = [
      { event: 'moment', data: '{"a":1}', id: '4.0' },
      { event: 'fact', data: 'one\ntwo', id: '4.1' },
    ]
    expect(new EventReader().read(text)).toEqual(whole)
    const reader = new EventReader()
    expect([...text].flatMap((letter) => reader.read(letter))).toEqual(whole)
  })

  it('keeps an event that is not complete', () => {
    expect(new EventReader().read('data: half')).toEqual([])
  })
})
