import { AesCodec, readAesKeys } from './aes-codec.ts'

/** As TREEOS_DATA_CONVERTER names it. */
export default ({ TEMPORAL_CODEC_KEYS = '' }: NodeJS.ProcessEnv) => ({
  payloadCodecs: [new AesCodec(readAesKeys(TEMPORAL_CODEC_KEYS))],
})
