import { matterReel } from '@treeos/core'
import { carry, inline, joinWords, type MindWords, type Prompt, viewBlock } from '@treeos/signature'
import { type Db, openFile } from '@treeos/store'
import type { Face } from '@treeos/world'
import type { ModelPicture, ModelRequest } from '../model/request.ts'
import { readGivenFile } from './read-file.ts'

/** Characters of all texts that one message brings. */
const CHARS_MAX = 60_000

/**
 * A prompt with the files that its wake brings: texts stand before the user message, quoted as data, and
 * pictures go beside it. What is recorded is the prompt without them, which names each file by its digest.
 */
export async function withFiles(
  db: Db,
  prompt: Prompt,
  files: Face['files'] = [],
): Promise<Pick<ModelRequest, 'prompt' | 'pictures'>> {
  const blocks: MindWords[] = []
  const pictures: ModelPicture[] = []
  let room = CHARS_MAX
  for (const { thing, file } of files) {
    if (file === undefined) continue // the prompt says why
    const name = carry('file', `${matterReel(thing)} ${inline(file.name)}`)
    const bytes = await openFile(db, thing, file)
    const reading =
      bytes === null
        ? ({ kind: 'unread', why: 'its bytes were erased' } as const)
        : room <= 0
          ? ({ kind: 'unread', why: 'the texts before it take all the room' } as const)
          : await readGivenFile(file, bytes, room)
    if (reading.kind === 'picture') pictures.push({ name, mediaType: file.mediaType, data: reading.data })
    else if (reading.kind === 'unread')
      blocks.push(carry('file', `[file]\n${name} is not shown: ${reading.why}.`))
    else {
      room -= reading.text.length
      const whole = reading.isCut ? `its first ${reading.text.length} characters` : 'whole'
      blocks.push(viewBlock('file', 'file', reading.text, `${name}, ${file.mediaType}, ${whole}:`))
    }
  }
  return {
    prompt: blocks.length === 0 ? prompt : { ...prompt, user: joinWords([...blocks, prompt.user], '\n\n') },
    ...(pictures.length === 0 ? {} : { pictures }),
  }
}
