import { defineSignature, defineSkill } from '@treeos/sdk'
import { z } from 'zod'

const SENTENCES_MAX = 10

const signature = defineSignature({
  name: 'library:summarize',
  task: 'Summarize the text in the number of sentences that is asked for, else in one. Add nothing that is not in the text.',
  inputs: z.object({
    text: z.string().min(1).describe('the text to summarize'),
    sentences: z.int().min(1).max(SENTENCES_MAX).optional().describe('how many sentences'),
  }),
  outputs: z.object({ summary: z.string().min(1).describe('the summary alone') }),
})

/** Summarizes a text by a model. Nothing changes in the world; the summary is the result of the act. */
export const summarize = defineSkill({
  name: 'library:summarize',
  description: 'Summarizes a text.',
  on: 'space',
  allow: ['anyone'],
  entry: signature,
})
