import { isArray, type Json } from './canonical.ts'
import { isHash, saltedHeadHash, saltOfHead, valueHash } from './hash.ts'
import { isHeads } from './header.ts'

/** Where a reel ended when it was read. */
export type Head = readonly [reel: string, seq: number, hash: string]

/** The heads that a moment read, and those that its call was judged from, as far as they are shown. */
export interface Heads {
  /** digests over all of them; null for `judged` where the basis has all */
  readonly digests: { readonly basis: string; readonly judged: string | null }
  readonly basis: readonly Head[]
  /** by reel: of `judged`, or else of the basis */
  readonly judgedFrom: ReadonlyMap<string, Head>
}

const overlaid = (...lists: readonly (readonly Head[])[]) =>
  new Map(lists.flatMap((heads) => heads.map((head) => [head[0], head] as const)))

const areOfOneReelEach = (heads: readonly Head[]): boolean => overlaid(heads).size === heads.length

/**
 * All heads of a moment, as a bundle has them.
 * @param salt from which the salts of all heads follow
 * @returns null for anything but a list of heads, with one a reel
 */
export function wholeHeads({ basis, judged, salt }: Record<'basis' | 'judged' | 'salt', Json>): Heads | null {
  if (!isHash(salt) || !isHeads(basis) || !isHeads(judged ?? [])) return null
  const [own, beyond] = [basis, judged ?? []] as unknown as readonly Head[][] as [Head[], Head[]]
  if (!areOfOneReelEach(own) || !areOfOneReelEach(beyond)) return null
  const hashOf = (head: Head) => saltedHeadHash(saltOfHead(salt, [...head]), [...head])
  const places = new Map(own.map(([reel], place) => [reel, place]))
  return {
    digests: {
      basis: valueHash(own.map(hashOf)),
      judged:
        judged === null
          ? null
          : valueHash(beyond.map((head): Json => [places.get(head[0]) ?? null, hashOf(head)])),
    },
    basis: own,
    judgedFrom: overlaid(own, beyond),
  }
}

/** A head that is shown with its salt, or its salted hash. @returns null for anything else */
function memberOf(member: Json): { readonly hash: string; readonly head: Head | null } | null {
  if (isHash(member)) return { hash: member, head: null }
  if (!isArray(member) || member.length !== 4) return null
  const [head, salt] = [member.slice(0, 3), member[3]]
  if (!isHash(salt) || !isHeads([head])) return null
  return { hash: saltedHeadHash(salt, head), head: head as unknown as Head }
}

/**
 * Heads of a moment, as a receipt has them: some are shown, each with its salt.
 * @param basis each a member
 * @param judged each `[place, member]`: what of the basis it stands for, or null; null without any
 * @returns null for what has another form, or shows a head of the basis for which one that it does not show
 *   stands
 */
export function shownHeads({ basis, judged }: Record<'basis' | 'judged', Json>): Heads | null {
  if (!isArray(basis) || !isArray(judged ?? [])) return null
  const own = basis.map(memberOf)
  const beyond = ((judged ?? []) as readonly Json[]).map((entry) => {
    const [place, member] = isArray(entry) && entry.length === 2 ? entry : []
    const found = memberOf(member ?? null)
    const isPlace = place === null || (Number.isSafeInteger(place) && own[Number(place)] !== undefined)
    return found === null || place === undefined || !isPlace ? null : { ...found, place }
  })
  const [members, entries] = [own.filter((one) => one !== null), beyond.filter((one) => one !== null)]
  if (members.length < own.length || entries.length < beyond.length) return null
  const shown = (list: readonly { readonly head: Head | null }[]) =>
    list.flatMap(({ head }) => (head === null ? [] : [head]))
  const isOutdated = entries.some(({ head, place }) => {
    const stood = place === null ? null : (members[Number(place)]?.head ?? null)
    return stood !== null && head?.[0] !== stood[0]
  })
  const [ownShown, beyondShown] = [shown(members), shown(entries)]
  if (isOutdated || !areOfOneReelEach(ownShown) || !areOfOneReelEach(beyondShown)) return null
  return {
    digests: {
      basis: valueHash(members.map(({ hash }) => hash)),
      judged: judged === null ? null : valueHash(entries.map(({ place, hash }): Json => [place, hash])),
    },
    basis: ownShown,
    judgedFrom: overlaid(ownShown, beyondShown),
  }
}
