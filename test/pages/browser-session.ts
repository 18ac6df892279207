export interface Visit {
  status: number;
  text: string;
  headers: Headers;
}

export interface Visitor {
  get: (path?: string, headers?: Record<string, string>) => Promise<Visit>;
  /** Sends a form without following where it leads. */
  post: (path: string, fields: Record<string, string>, headers?: Record<string, string>) => Promise<Visit>;
  signIn: (key: string, page?: string) => Promise<Visit>;
  /** The hidden fields of the first form that goes there. */
  fieldsOf: (text: string, action: string) => Record<string, string>;
  cookie: string;
}

/** A browser without script: keeps the one cookie and fills in forms as they are. */
export function visitor(url: string): Visitor {
  const visit = async (path: string, init: RequestInit): Promise<Visit> => {
    const headers = { ...(self.cookie && { Cookie: self.cookie }), ...(init.headers as Record<string, string>) };
    const response = await fetch(url + path, { ...init, headers, redirect: 'manual' });
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) self.cookie = /Max-Age=0/.test(cookie) ? '' : (cookie.split(';')[0] ?? '');
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const self: Visitor = {
    cookie: '',
    get: (path = '/deliveries', headers = {}) => visit(path, { headers }),
    post: (path, fields, headers = {}) => visit(path, { method: 'POST', body: new URLSearchParams(fields), headers }),
    signIn: (key, page = '/deliveries') => self.post(`${page}/login`, { key }),
    fieldsOf(text, action) {
      const [, form = ''] = new RegExp(`action="${action}"([\\s\\S]*?)</form>`).exec(text) ?? [];
      const inputs = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
      return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
    },
  };
  return self;
}
