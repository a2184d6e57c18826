import { headersFor, urlOf } from '../fetch.ts'
import { ANTHROPIC } from './anthropic.ts'
import { GEMINI } from './gemini.ts'
import type { ApiName, ModelApi } from './shape.ts'

const OPENAI: ModelApi = {
  urlOf: ({ baseUrl }) => urlOf(baseUrl, 'chat/completions'),
  headersOf: headersFor,
  requestOf: (body) => body,
  completionOf: (answer) => answer,
  chunksOf: () => (event) => [event],
}

const APIS: { readonly [name in ApiName]: ModelApi } = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
}

/** The API of an endpoint: the one that the operator names, else by the address of Anthropic or Google. */
export function apiOf({ api, baseUrl }: { readonly api?: ApiName; readonly baseUrl: string }): ModelApi {
  return APIS[api ?? nameBy(new URL(baseUrl))]
}

function nameBy({ hostname, pathname }: URL): ApiName {
  if (hostname === 'api.anthropic.com') return 'anthropic'
  const isGoogle = hostname === 'generativelanguage.googleapis.com' && !/[/]openai$/.test(pathname)
  return isGoogle ? 'gemini' : 'openai'
}
