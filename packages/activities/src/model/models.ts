import { z } from 'zod'

/** One model of a server's list. */
export interface ListedModel {
  readonly id: string
  /** false where its name or its kind says that it does not chat */
  readonly chats: boolean
}

export const MODEL_DEFAULT = 'gpt-4o-mini'
/** Accepted names: at most 200 visible ASCII characters. */
const MODEL_NAME = /^[\x21-\x7e]{1,200}$/
/** Names of models that embed, hear, speak, draw or judge. */
const NOT_CHAT =
  /embed|rerank|whisper|(?:^|[-/_])(?:bge|gte|e5|clip|tts|stt|ocr)(?:$|[-_:.])|minilm|transcri|moderation|guard|dall-e|gpt-image|imagen|stable-diffusion|flux|sora|veo|realtime|audio|speech|babbage|davinci/i
const NOT_CHAT_TYPES = /embed|rerank|image|audio|transcri|moderation|speech|video/i

const text = z.string().optional().catch(undefined)
const entry = z
  .object({
    id: text,
    name: text,
    type: text,
    capabilities: z
      .object({ completion_chat: z.boolean().optional().catch(undefined) })
      .optional()
      .catch(undefined),
  })
  .transform(({ id, name = '', type = '', capabilities }) => ({
    id: id ?? name,
    chats:
      capabilities?.completion_chat !== false && !NOT_CHAT_TYPES.test(type) && !NOT_CHAT.test(id ?? name),
  }))
  .catch({ id: '', chats: false })
const entries = z.array(entry)
/**
 * `data` as OpenAI has it, `models`, or the bare list. `data` is null in the answer of an Ollama without
 * models.
 */
const modelList = z.union([
  entries,
  z.object({ data: entries.nullable() }).transform(({ data }) => data ?? []),
  z.object({ models: entries }).transform(({ models }) => models),
])

/**
 * Reads a list of models. Entries without a name are left out.
 * @throws {SyntaxError} for text that is not JSON; null for JSON that is not a list
 */
export function modelsIn(json: string): ListedModel[] | null {
  const list = modelList.safeParse(JSON.parse(json))
  return list.success ? list.data.filter(({ id }) => MODEL_NAME.test(id)) : null
}

/** OpenAI lists many models that cannot chat, in no order. Other servers list a chat model first. */
export function chooseModel(listed: readonly ListedModel[]): string | null {
  if (listed.some(({ id }) => id === MODEL_DEFAULT)) return MODEL_DEFAULT
  return (listed.find(({ chats }) => chats) ?? listed[0])?.id ?? null
}

/**
 * Why a server would not know a model by this name. Ollama adds `:latest` to a name without a tag, Google
 * lists `models/NAME`, and gateways take a variant after the name, such as `:free`.
 * @returns null when it lists the model, or no model at all
 */
export function whyNotListed(model: string, listed: readonly ListedModel[] | null): string | null {
  if (listed === null || listed.length === 0) return null
  const ids = new Set(listed.map(({ id }) => plainModelId(id)))
  const name = plainModelId(model)
  const stem = name.split(':', 1)[0]!
  if ([name, `${name}:latest`, ...(stem.includes('/') ? [stem] : [])].some((known) => ids.has(known)))
    return null
  const kin = listed.filter(({ id }) => plainModelId(id).split(':', 1)[0] === stem).map(({ id }) => id)
  const hint = kin.length === 0 ? '' : `; it lists ${kin.slice(0, 5).join(', ')}`
  return `does not list the model ${model}${hint}`
}

const plainModelId = (id: string): string => id.toLowerCase().replace(/^models[/]/, '')
