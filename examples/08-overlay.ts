/**
 * 8. An overlay: text that shapes calls of a model, and that no record holds. Here of a thread, and of a
 *   skill with a Signature. OPENAI_API_KEY=… node examples/08-overlay.ts
 *   OPENAI_BASE_URL=http://127.0.0.1:11434/v1 TREEOS_MODEL=llama3.2 node examples/08-overlay.ts
 * It uses the services that DATABASE_URL and TEMPORAL_* name, else starts others in .treeos/overlays, and
 * ends by itself.
 */
import {
  type Connection,
  checkCommitment,
  invoke,
  setThreadOverlay,
  summon,
  threadOverlays,
} from '@treeos/client'
import { defineExtension, defineSignature, defineSkill } from '@treeos/sdk'
import { z } from 'zod'
import { requireMind, withBeings } from './host.ts'

// A Signature declares one call of a model. Every Signature also has the input `role`, which overlays fill.
const headline = defineSignature({
  name: 'harbour:headline',
  task: 'Write a headline of at most ten words for the text.',
  inputs: z.object({ text: z.string().describe('the text') }),
  outputs: z.object({ headline: z.string() }),
})
const harbour = defineExtension({
  name: 'harbour',
  version: '1.0.0',
  skills: [
    defineSkill({
      name: 'harbour:headline',
      description: 'Writes a headline.',
      on: 'being',
      allow: ['self'],
      entry: headline,
    }),
  ],
  scene: [{ verb: 'be', operation: 'birth', args: { name: 'pilot', cognition: 'llm', role: 'resident' } }],
})

await withBeings('overlays', harbour, { mind: await requireMind() }, async (at) => {
  await shapeThread(at)
  await shapeSkill(at)
})

/** A thread: its overlay is in force from the next moment on, until it is taken away. */
async function shapeThread(at: Connection): Promise<void> {
  const ask = (content: string, thread?: string) =>
    summon(at, { as: 'operator', target: 'pilot', content, thread, waitSeconds: 120 })
  const { correlation: thread, reply } = await ask('How is the water?')
  console.log(`without an overlay: ${reply?.content}`)
  const text = 'Answer as a harbour master in a storm would, in one short sentence.'
  const { salt } = await setThreadOverlay(at, { as: 'operator', thread, overlay: { content: text } })
  const shaped = await ask('And now?', thread)
  console.log(`with one: ${shaped.reply?.content}`)

  // What the records hold of it: the tiers, and a salted commitment. With salt and text anybody can check it.
  const record = shaped.moment?.overlay
  console.log(`recorded of the moment: ${record?.tiers}, mode ${record?.mode}`)
  const [change] = await threadOverlays(at, thread)
  const isOfText = checkCommitment(change?.commitment ?? '', salt ?? '', text)
  console.log(`the recorded commitment is of this text: ${isOfText}`)
  await setThreadOverlay(at, { as: 'operator', thread, overlay: null })
}

/** A skill: the overlay comes with the act, and attaches to the entry Signature. */
async function shapeSkill(at: Connection): Promise<void> {
  const { result } = await invoke(at, {
    as: 'operator',
    operation: 'harbour:headline',
    args: { text: 'The ferry is late, since the fog came early.' },
    overlay: { content: 'Write like a gossip column.' },
  })
  console.log(`the skill: ${JSON.stringify(result)}`)
}
