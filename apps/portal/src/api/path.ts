/** Where the API is. */
export const API_PATH = '/api/v1'
