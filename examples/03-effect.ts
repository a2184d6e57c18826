/**
 * 3. An effect: what an operation does outside, before it decides. Pure here, with a counter for the world
 *   outside.
 * In a worker, `perform` runs as a Temporal activity: it may run again after a crash, always under the same
 * key.
 *   node examples/03-effect.ts
 */
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { being, decide } from '@treeos/sdk/testing'
import { z } from 'zod'

/** A post office that knows a letter by its key, so that posting it twice sends it once. */
const posted = new Map<string, number>()
function postLetter(key: string): number {
  if (!posted.has(key)) posted.set(key, posted.size + 1)
  return posted.get(key) ?? 0
}

const effect = {
  timeoutSeconds: 10, // of one attempt
  attempts: 3,
  perform: async ({ key }: { readonly key: string }) => ({ receipt: postLetter(key) }),
}
const post = defineOperation({
  name: 'mail:post',
  description: 'Posts a letter.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({ text: z.string().max(1000).describe('what the mail says') }),
  effect,
  decide: ({ actor, effect }) => ({ facts: [setQuality(actor, 'mail.receipt', effect.receipt)] }),
})
const mail = defineExtension({ name: 'mail', version: '1.0.0', operations: [post] })

const [first, again] = [await effect.perform({ key: 'ann/7' }), await effect.perform({ key: 'ann/7' })]
console.log(JSON.stringify({ first, again, letters: posted.size }))

const ann = being({ name: 'ann' })
const { facts } = await decide(mail, 'mail:post', {
  actor: ann,
  target: ann,
  args: { text: 'hi' },
  effect: first,
})
console.log(JSON.stringify(facts))
