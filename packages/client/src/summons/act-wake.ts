import {
  type ActContent,
  actWakeId,
  asJson,
  type BeingName,
  canonicalJson,
  LIMITS,
  newWake,
  PRIORITIES,
  TreeosError,
  utf8Length,
  type Wake,
} from '@treeos/core'

/**
 * The wake by which an act lies in the inbox of its being.
 * @param correlation the one that its summon will have
 * @param outside whether its words came from outside of the reality
 * @throws {TreeosError} PAYLOAD_TOO_LARGE
 */
export function actWake(being: BeingName, correlation: string, content: ActContent, outside: boolean): Wake {
  const bytes = utf8Length(canonicalJson(content))
  if (bytes > LIMITS.actBytesMax)
    throw new TreeosError(
      'PAYLOAD_TOO_LARGE',
      `the act is ${bytes} bytes, at most ${LIMITS.actBytesMax} are taken`,
    )
  return newWake({
    id: actWakeId(correlation),
    being,
    kind: 'act',
    priority: PRIORITIES.human,
    content: asJson(content),
    root: correlation,
    ...(outside ? { outside } : {}),
  })
}
