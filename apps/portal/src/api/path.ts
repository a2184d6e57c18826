/** Where the API is. */
export const API_PATH = '/api/v1'
/** Where beings are for chat clients, which know this path of OpenAI's API. */
export const CHAT_PATH = '/v1'
