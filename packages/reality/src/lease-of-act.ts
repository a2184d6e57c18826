import { type ActContent, isJsonObject, readPath, type Wake } from '@treeos/core'

/** The lease under which a person's act was submitted; null when there was none. */
export function leaseOfAct({ content }: Pick<Wake, 'content'>): NonNullable<ActContent['lease']> | null {
  const lease = readPath(content, ['lease'])
  if (!isJsonObject(lease) || typeof lease.driver !== 'string' || typeof lease.epoch !== 'number') return null
  return { driver: lease.driver, epoch: lease.epoch }
}
