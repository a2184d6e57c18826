import type {
  BeingName,
  FileNote,
  Json,
  JsonObject,
  LookingBack,
  MatterId,
  RoleName,
  SpacePath,
} from '@treeos/core'
import type { Surface } from '../rows/lists.ts'
import type { BeingRow, SpaceRow } from '../rows/rows.ts'
import type { DroppedEntry, TokenResolvers } from './expand-surface.ts'
import type { WorldReader } from './reader.ts'

/**
 * What a being sees in one moment: itself, its space, the beings in it, and the views of its see-resolvers.
 * Of a space that it may not see it knows the path, and nothing that is there. It is folded from one snapshot
 * and kept by digest; replay folds it again from the basis.
 */
export interface Face {
  readonly me: { readonly name: BeingName; readonly home: SpacePath; readonly qualities: JsonObject }
  readonly space: {
    readonly path: SpacePath
    readonly name: string
    readonly type: string
    readonly qualities: JsonObject
  }
  readonly occupants: readonly BeingName[]
  readonly spaces: readonly SpacePath[]
  /** where the moment looks; left out for forward. A moment that looks inward shows nothing of the world */
  readonly orientation?: LookingBack
  /**
   * value of the quality whose change woke the being; left out for any other wake, and where it may not be
   * seen
   */
  readonly changed?: Json
  /** the files that its wake brings; left out for none */
  readonly files?: readonly FaceFile[]
  /** views of the see-resolvers, in the order in which the roles name them */
  readonly views: readonly {
    readonly name: string
    readonly view: Json
    /** what it was made from holds words from outside; left out for all others */
    readonly outside?: true
  }[]
  /** the composed lists after expansion */
  readonly surface: Surface
  /** what each verb can be called with now; only for a model, which is told of it */
  readonly targets?: TargetsByVerb
  /** entries and views that were left out, and why */
  readonly dropped: readonly (DroppedEntry | { readonly see: string; readonly reason: string })[]
}

/** A file that a wake brings: what its thing says of it, or why the being is not shown it. */
export type FaceFile = { readonly thing: MatterId } & (
  | { readonly file: FileNote; readonly refused?: undefined }
  | { readonly file?: undefined; readonly refused: string }
)

/** Addresses that both gates allow to a verb now. */
export interface Targets {
  readonly of: readonly string[]
  /** false: there are others, which a pattern stands for or which are too many to be listed */
  readonly isWhole: boolean
}

export type TargetsByVerb = Readonly<Record<'see' | 'do' | 'summon', Targets>>

/** A face, and its canonical JSON. The JSON is what is hashed and stored. */
export interface BuiltFace {
  readonly face: Face
  readonly text: string
}

/** Makes a view of the world that a role needs to act. Null: no view. */
export type SeeResolver = (input: SeeInput) => Json | Promise<Json>

export interface SeeInput {
  readonly me: BeingRow
  /** of an extension: the world as the being sees it, where what it may not see is not there */
  readonly world: WorldReader
  /**
   * the space where the being is; null when it may not see that. Then nobody and nothing in it belongs into a
   * view
   */
  readonly place: SpaceRow | null
  /** the composed lists after expansion: what is not in `canSee` belongs into no view */
  readonly surface: Surface
  /** ms since 1970 UTC, and the primary role, of the being's last act; null before the first */
  readonly lastSealed: { readonly sealedAt: number; readonly primary: RoleName } | null
}

/** The code that a face is made with. */
export interface Resolvers extends TokenResolvers {
  readonly see: ReadonlyMap<string, SeeResolver>
}
