using System;
using System.Collections.Generic;
using System.Text;
using System.Threading.Tasks;

namespace GamesLrs
{
    /// <summary>A document and its ETag, for a change that must not overwrite another one.</summary>
    public sealed class Document
    {
        /// <summary>As it came, for instance for JsonUtility.FromJson.</summary>
        public readonly string Text;
        public readonly string ETag;

        internal Document(string text, string etag)
        {
            Text = text;
            ETag = etag;
        }

        /// <summary>Dictionaries, lists, strings, longs, doubles and booleans; null when the text is not JSON.</summary>
        public object Value
        {
            get
            {
                try { return Json.Read(Text); }
                catch (FormatException) { return null; }
            }
        }
    }

    /// <summary>Documents of the learner, or of all learners. Without a launch there are none, and what is put goes nowhere.</summary>
    public sealed class Documents
    {
        readonly Client client;
        readonly string path;
        readonly string idName;

        /// <param name="path">with a query that says whose and of what</param>
        internal Documents(Client client, string path, string idName)
        {
            this.client = client;
            this.path = path;
            this.idName = idName;
        }

        /// <summary>Null: there is none.</summary>
        public Task<Document> Get(string id)
        {
            return client.Call("GET", Of(id), null, null, null,
                response => response.Status == 404 ? null : new Document(response.Text, response.ETag));
        }

        /// <summary>Replaces. The value is what Json.Write takes, or Json.Raw. Gives the new ETag, for the next Put; null: the service did not tell it.</summary>
        public Task<string> Put(string id, object value) { return Write("PUT", id, value, null, null); }

        /// <summary>
        /// Replaces the document that was read with this ETag; null: only when there is none yet. LrsException 412 when somebody
        /// was faster.
        /// </summary>
        public Task<string> Put(string id, object value, string etag)
        {
            return Write("PUT", id, value, etag == null ? "If-None-Match" : "If-Match", etag ?? "*");
        }

        /// <summary>Changes the top-level properties of a document and keeps the others; makes it when there is none.</summary>
        public Task Merge(string id, object properties) { return Write("POST", id, properties, null, null); }

        public Task Remove(string id) { return client.Call("DELETE", Of(id), null, null, null, response => true); }

        /// <summary>Ids of all documents.</summary>
        public Task<List<string>> List() { return List(path); }

        /// <summary>Ids of the documents that changed since.</summary>
        public Task<List<string>> List(DateTime since) { return List(With("since", Json.Time(since))); }

        async Task<List<string>> List(string at)
        {
            var ids = await client.Call("GET", at, null, null, null, response => Json.Read(response.Text) as List<object>);
            return ids == null ? new List<string>() : ids.ConvertAll(id => id as string);
        }

        Task<string> Write(string method, string id, object value, string header, string text)
        {
            try
            {
                return client.Call(method, Of(id), Encoding.UTF8.GetBytes(Json.Write(value)), header, text, response => response.ETag);
            }
            catch (FormatException error) { return Task.FromException<string>(error); }
        }

        string Of(string id) { return With(idName, id); }

        string With(string name, string value)
        {
            return path + (path.EndsWith("?") ? "" : "&") + name + "=" + Uri.EscapeDataString(value ?? "");
        }
    }
}
