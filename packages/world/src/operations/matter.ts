import {
  asJson,
  beingReel,
  FILE_BYTES_MAX,
  FILE_FORMS,
  isKey,
  matterReel,
  type ReelId,
  requireStorable,
  type SpacePath,
  spaceReel,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import type { DecidedOperation } from '../extend/extension.ts'
import type { WorldReader } from '../read/reader.ts'
import type { OperationTarget } from '../read/target.ts'
import { factsOfFile, MATTERS_MAX } from '../rows/file-facts.ts'
import { type Coord, type MatterRow, matterKey } from '../rows/rows.ts'
import { ANY_JSON, needed, optional, TEXT } from './argument-forms.ts'
import { defineBuiltIn } from './define-built-in.ts'
import { coordArgument, coordIn } from './extent.ts'
import { qualityArguments, qualityChange } from './quality-change.ts'
import { typeArgument, typeIn } from './type-argument.ts'

const createMatter = defineBuiltIn({
  name: 'create-matter',
  description: 'Makes a thing, which lies in the target space and is the actor’s own.',
  targets: ['space'],
  allow: ['owner', 'contributor', 'operator'],
  takes: {
    id: needed(TEXT, 'kebab-case, unique for ever', {
      right: 'kebab-case, at most 64 characters',
      isRight: isKey,
    }),
    type: typeArgument('its type, as in document; thing when absent'),
    content: optional(ANY_JSON, 'any JSON; null when absent'),
    coord: coordArgument('where in the space, as {x, y, z}'),
  },
  async decide({ actor, target, world, known }, given) {
    if (target.kind !== 'space') throw new TreeosError('INVALID_TYPE', 'create-matter takes a space')
    const id = given.text('id')
    const type = typeIn(given, known.matterTypes, 'thing')
    if ((await world.row(matterKey(id))) !== null)
      throw new TreeosError('RESOURCE_CONFLICT', `the id ${id} is taken in this reality, for ever`)
    const content = requireStorable(given.value('content') ?? null, 'content')
    const place = target.space.path
    await requireRoomInPlace(world, place)
    const at = asJson(coordIn(given, target.space))
    const payload = { id, type, owner: actor.name, place, content, qualities: {}, ...at }
    return {
      facts: [{ reel: matterReel(id), kind: 'matter:created', payload }, came(place, id)],
      result: { matter: matterReel(id), place },
    }
  },
})

const keepFile = defineBuiltIn({
  name: 'keep-file',
  description: 'Makes a thing of a file whose bytes the actor gave before: the actor holds it.',
  targets: ['being'],
  allow: ['self'],
  takes: {
    id: needed(TEXT, 'the id under which its bytes are stored', {
      right: 'file- and 32 hex digits',
      isRight: FILE_FORMS.id,
    }),
    digest: needed(TEXT, 'sha256 of its bytes, in hex', {
      right: '64 hex digits',
      isRight: FILE_FORMS.digest,
    }),
    mediaType: needed(TEXT, 'its media type, as in image/png', {
      right: 'a media type in small letters, without parameters',
      isRight: FILE_FORMS.mediaType,
    }),
    bytes: needed({ type: 'integer', minimum: 1, maximum: FILE_BYTES_MAX }, 'how many bytes it has'),
    name: needed(TEXT, 'its name', {
      right: 'a name of at most 255 characters, without slashes',
      isRight: FILE_FORMS.name,
    }),
  },
  async decide({ actor, target, world }, given) {
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'keep-file takes a being')
    const id = given.text('id')
    if ((await world.row(matterKey(id))) !== null)
      throw new TreeosError('RESOURCE_CONFLICT', `the id ${id} is taken in this reality, for ever`)
    const place = stanceOf(actor.name)
    await requireRoomInPlace(world, place)
    const [digest, mediaType, bytes, name] = ['digest', 'mediaType', 'bytes', 'name'].map(
      (part) => given.value(part) ?? null,
    ) as [string, string, number, string]
    const file = { digest, mediaType, bytes, name }
    return {
      facts: factsOfFile(actor.name, id, file),
      result: { matter: matterReel(id), file },
    }
  },
})

const setMatter = defineBuiltIn({
  name: 'set-matter',
  description: 'Sets one quality of the target thing; null unsets.',
  targets: ['matter'],
  allow: ['owner', 'operator'],
  takes: qualityArguments('wear.worn'),
  decide({ target }, given) {
    const matter = requireMatter('set-matter', target)
    const change = qualityChange(given, matter.qualities)
    return { facts: [{ reel: matterReel(matter.id), kind: 'quality:set', payload: change }], result: change }
  },
})

const writeMatter = defineBuiltIn({
  name: 'write-matter',
  description: 'Replaces the content of the target thing.',
  targets: ['matter'],
  allow: ['owner', 'operator'],
  takes: { content: optional(ANY_JSON, 'any JSON') },
  decide({ target }, given) {
    const { id } = requireMatter('write-matter', target)
    const content = requireStorable(given.value('content') ?? null, 'content')
    return {
      facts: [{ reel: matterReel(id), kind: 'matter:written', payload: { content } }],
      result: { matter: matterReel(id) },
    }
  },
})

const take = defineBuiltIn({
  name: 'take',
  wordless: true,
  description: 'Takes the target thing from the space where the actor is: the actor holds it then.',
  targets: ['matter'],
  allow: ['owner', 'operator'],
  takes: {},
  async decide({ actor, target, world }) {
    const { id, place } = requireMatter('take', target)
    if ((await liesIn(world, place)) !== actor.space)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${matterReel(id)} is not in ${actor.space}: ${whereIs(place)}`,
      )
    await requireRoomInPlace(world, stanceOf(actor.name))
    return moved(id, place ?? actor.space, stanceOf(actor.name))
  },
})

/** Where a thing lies. What a being held that was ended lies where that being was last. */
async function liesIn(world: WorldReader, place: string | null): Promise<string | null> {
  const holder = place?.startsWith('@') ? await world.being(place.slice(1)) : null
  return holder?.ended === undefined ? place : holder.space
}

const put = defineBuiltIn({
  name: 'put',
  wordless: true,
  description: 'Lays the target thing, which the actor holds, into the space where the actor is.',
  targets: ['matter'],
  allow: ['anyone'], // decide() requires that the actor holds it
  takes: { coord: coordArgument('where in the space, as {x, y, z}') },
  async decide({ actor, target, world }, given) {
    const { id, place } = requireMatter('put', target)
    if (place !== stanceOf(actor.name))
      throw new TreeosError(
        'FORBIDDEN',
        `${stanceOf(actor.name)} does not hold ${matterReel(id)}: ${whereIs(place)}`,
      )
    await requireRoomInPlace(world, actor.space)
    const { size } = (await world.space(actor.space)) ?? {}
    return moved(id, place, actor.space, coordIn(given, { path: actor.space, ...(size && { size }) }))
  },
})

const endMatter = defineBuiltIn({
  name: 'end-matter',
  wordless: true,
  description: 'Ends the target thing. Its id is never used again.',
  targets: ['matter'],
  allow: ['owner', 'operator'],
  takes: {},
  decide({ target }) {
    const { id, place } = requireMatter('end-matter', target)
    return {
      facts: [
        { reel: matterReel(id), kind: 'matter:ended', payload: {} },
        ...(place === null ? [] : [went(place, id)]),
      ],
      result: { matter: matterReel(id) },
    }
  },
})

function requireMatter(operation: string, target: OperationTarget): MatterRow {
  if (target.kind === 'matter') return target.matter
  throw new TreeosError('INVALID_TYPE', `${operation} takes a thing, as in matter:moby-dick`)
}

async function requireRoomInPlace(world: WorldReader, place: SpacePath | string): Promise<void> {
  const { length } = await world.matters(place)
  if (length >= MATTERS_MAX)
    throw new TreeosError(
      'RATE_LIMITED',
      `${place} holds ${length} things, at most ${MATTERS_MAX} may be in one place`,
    )
}

const whereIs = (place: string | null): string =>
  place === null ? 'it is gone' : place.startsWith('@') ? `${place} holds it` : `it is in ${place}`

function moved(
  id: string,
  from: SpacePath | string,
  to: SpacePath | string,
  at: { readonly coord?: Coord } = {},
): DecidedOperation {
  const coord = asJson(at)
  const facts = [
    { reel: matterReel(id), kind: 'matter:moved', payload: { from, to, ...coord } },
    went(from, id),
    came(to, id),
  ]
  return { facts, result: { matter: matterReel(id), from, to, ...coord } }
}

/** Arrivals and departures are facts of the place's reel. */
const reelOfPlace = (place: SpacePath | string): ReelId =>
  place.startsWith('@') ? beingReel(place.slice(1)) : spaceReel(place)
const came = (place: SpacePath | string, matter: string) => ({
  reel: reelOfPlace(place),
  kind: 'place:received',
  payload: { matter },
})
const went = (place: SpacePath | string, matter: string) => ({
  reel: reelOfPlace(place),
  kind: 'place:gave',
  payload: { matter },
})

export const matterOperations = [createMatter, setMatter, writeMatter, take, put, endMatter] as const
/** Of whoever gave bytes, which no model does. */
export const fileOperations = [keepFile] as const
