import { t } from '../language/index.ts'
import { partialJson } from './partial.ts'

/** A call of a tool that a model writes, in words. */
export interface WrittenToolCall {
  /** the words that it says with it; empty for none */
  readonly says: string
  /** what it does */
  readonly does: string
}

/** @param tool its name. @param text its arguments, as far as they were written */
export function writtenSoFar(tool: string, text: string): WrittenToolCall {
  const { content, target, operation, address, addresses = [], args, ...rest } = partialJson(text)
  const on = typeof target === 'string' && target !== '' ? target : null
  if (tool === 'summon')
    return {
      says: spoken(content),
      does: on === null ? t('answers', { context: 'verb' }) : t('says to {{being}}', { being: on }),
    }
  if (tool === 'see') {
    const places = [address, addresses].flat().filter((one) => typeof one === 'string')
    return { says: '', does: t('looks at {{places}}', { places: places.join(', ') || '…' }) }
  }
  const said = argumentsText(args ?? (typeof operation === 'string' ? {} : rest))
  const does =
    typeof operation === 'string' ? t('does {{operation}}', { operation }) : t('uses {{tool}}', { tool })
  return {
    says: '',
    does: `${on === null ? does : t('{{call}} on {{target}}', { call: does, target: on })}${said}`,
  }
}

function spoken(content: unknown): string {
  if (typeof content === 'string') return content
  const { text } = (content ?? {}) as { readonly text?: unknown }
  return typeof text === 'string' ? text : content === undefined ? '' : JSON.stringify(content)
}

function argumentsText(args: unknown): string {
  if (typeof args !== 'object' || args === null) return ''
  const fields = Object.entries(args).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return fields.length === 0 ? '' : ` (${fields.join(', ')})`
}
