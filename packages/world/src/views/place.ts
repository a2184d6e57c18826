import {
  asJson,
  isJsonObject,
  type JsonObject,
  matterReel,
  parentPath,
  spaceAncestry,
  stanceOf,
} from '@treeos/core'
import { listRegarded, mayRead, maySee } from '../gates/sight.ts'
import type { SeeInput, SeeResolver } from '../read/face.ts'
import { withoutShadow } from '../rows/qualities.ts'
import { beingKey, type MatterRow, matterKey, type SpaceRow, spaceKey } from '../rows/rows.ts'
import { Cut, fitting, VIEW_BOUNDS } from './bounds.ts'

// The fields of a view stand in canonical order, as those of a face do, so that writing them need not sort
// them.

/** The space where the being is: its type, owner, rules, qualities and exits. */
export const place: SeeResolver = async (input) => {
  const { place: space } = input
  if (space === null) return null
  const cut = new Cut()
  const { permissions: _rules, ...qualities } = withoutShadow(space.qualities)
  const within = await input.world.childSpaces(space.path)
  const around = parentPath(space.path)
  const exits = [...(around === null ? [] : [around]), ...within]
  const rules = await rulesAround(input, space, cut)
  const shown = {
    qualities: cut.object(qualities, VIEW_BOUNDS.valueBytes, 'qualities'),
    exits: cut.list(exits, VIEW_BOUNDS.exits, 'exits'),
  }
  return asJson({
    ...(space.contributors === undefined ? {} : { contributors: space.contributors.map(stanceOf) }),
    ...cut.field,
    exits: shown.exits,
    ...(space.owner === null ? {} : { owner: stanceOf(space.owner) }),
    path: space.path,
    qualities: shown.qualities,
    rules,
    ...(space.size === undefined ? {} : { size: space.size }),
    type: space.type,
  }) as JsonObject
}

/** The rules of the space and of the spaces around it that the being may see, by path, nearest first. */
async function rulesAround(input: SeeInput, space: SpaceRow, cut: Cut): Promise<JsonObject> {
  const paths = spaceAncestry(space.path)
  await input.world.prefetch(paths.map(spaceKey))
  const rules: [string, JsonObject][] = []
  for (const path of paths) {
    const row = path === space.path ? space : await input.world.space(path)
    const own = row?.qualities.permissions
    if (
      row === null ||
      !isJsonObject(own) ||
      (row !== space && !(await maySee(input, { kind: 'space', space: row })))
    )
      continue
    rules.push([path, cut.object(own, VIEW_BOUNDS.valueBytes, `rules of ${path}`)])
  }
  return Object.fromEntries(rules)
}

/** The other beings in the place, with what each wore in its last moment; a being that lived none, with its default role. */
export const occupants: SeeResolver = async (input) => {
  const { world, me, place: space } = input
  if (space === null) return null
  const cut = new Cut()
  const first = await world.occupants(space.path, VIEW_BOUNDS.occupants + 1) // it may be one of them itself
  const others = first.filter((name) => name !== me.name)
  const isAll = first.length <= VIEW_BOUNDS.occupants
  const count = isAll ? others.length : (await world.countOccupants(space.path)) - 1
  const names = cut.first(others, count, VIEW_BOUNDS.occupants, 'beings')
  await world.prefetch(names.map(beingKey))
  const wore = await world.wore(names)
  const regarded = await listRegarded(input, space, names)
  const here = names.map((name) => {
    const being = regarded.get(name)
    const stance = { being: stanceOf(name) }
    if (being === undefined) return stance
    const { coord } = being
    return { ...stance, wears: wore[name] ?? being.defaultRole, ...(coord && { coord: asJson(coord) }) }
  })
  return { ...cut.field, here }
}

/** The things in the place, if the being may see it, and the things that it holds. */
export const things: SeeResolver = async (input) => {
  const { world, me, place: space } = input
  const cut = new Cut()
  const room = { bytes: VIEW_BOUNDS.contentsBytes }
  const list = async (at: string, what: string): Promise<JsonObject[]> => {
    const first = await world.matters(at, VIEW_BOUNDS.things + 1)
    const count = first.length <= VIEW_BOUNDS.things ? first.length : await world.countMatters(at)
    const ids = cut.first(first, count, VIEW_BOUNDS.things, what)
    await world.prefetch(ids.map(matterKey))
    const shown: JsonObject[] = []
    for (const id of ids) {
      const thing = await world.matter(id)
      if (thing !== null) shown.push(await shownMatter(input, thing, room))
    }
    return shown
  }
  const held = await list(stanceOf(me.name), 'things held')
  const here = space === null ? null : await list(space.path, 'things')
  if (here === null && held.length === 0) return null
  return { ...cut.field, held, ...(here === null ? {} : { here }) }
}

async function shownMatter(input: SeeInput, thing: MatterRow, room: { bytes: number }): Promise<JsonObject> {
  const { id, type, owner, coord } = thing
  const shown = {
    thing: matterReel(id),
    type,
    owner: stanceOf(owner),
    ...(coord && { coord: asJson(coord) }),
    ...(thing.outside === true ? { outside: true } : {}),
  }
  if (!(await mayRead(input, thing))) return shown
  const content = fitting(thing.content, Math.min(room.bytes, VIEW_BOUNDS.valueBytes))
  room.bytes = Math.max(0, room.bytes - JSON.stringify(content).length)
  const { qualities } = thing
  return {
    ...shown,
    content,
    ...(Object.keys(qualities).length === 0 ? {} : { qualities: fitting(qualities, VIEW_BOUNDS.textBytes) }),
  }
}
