import type { JsonObject, Wake } from '@treeos/core'
import type { Notice } from '@treeos/store'

/** Makes a wake a notice. Notices of one event, about one being and with one code are equal: a person gets them as one entry. */
export function asNotice(wake: Wake): Notice {
  const { event, actor, code = '' } = wake.content as JsonObject
  return { ...wake, notice: `${event} ${actor} ${code}`.trimEnd() }
}
