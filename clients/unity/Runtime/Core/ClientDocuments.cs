using System;
using System.Threading.Tasks;

namespace GamesLrs
{
    public sealed partial class Client
    {
        /// <summary>Of the learner in this game, or in one activity of it.</summary>
        public Documents State(Activity activity = null)
        {
            return new Documents(this, "activities/state?activityId=" + Iri(activity) + "&agent=" + Agent, "stateId");
        }

        /// <summary>Shared by all learners of an activity.</summary>
        public Documents ActivityProfile(Activity activity = null)
        {
            return new Documents(this, "activities/profile?activityId=" + Iri(activity), "profileId");
        }

        /// <summary>Of the learner, across games.</summary>
        public Documents AgentProfile()
        {
            return new Documents(this, "agents/profile?agent=" + Agent, "profileId");
        }

        string Iri(Activity activity)
        {
            return Launched ? Uri.EscapeDataString(Statements.IriOf(Launch, activity)) : "";
        }

        string Agent { get { return Launched ? Uri.EscapeDataString(Json.Write(Launch.Actor)) : ""; } }

        /// <summary>Fails with LrsException. A 404 is an answer like others.</summary>
        internal Task<T> Call<T>(string method, string path, byte[] body, string header, string text, Func<HttpResponse, T> read)
        {
            if (!Launched) return Task.FromResult(default(T));
            var done = new TaskCompletionSource<T>();
            lock (gate) Attempt(done, () =>
            {
                var request = requests.Request(method, path, body);
                if (header != null) request.Headers[header] = text;
                return request;
            }, read);
            return done.Task;
        }

        void Attempt<T>(TaskCompletionSource<T> done, Func<HttpRequest> make, Func<HttpResponse, T> read)
        {
            var auth = requests.Launch.Auth;
            requests.Send(make(), response =>
            {
                if (response.Status == 401 && requests.Renew(auth)) Attempt(done, make, read);
                else calls.Enqueue(() => Finish(done, response, read));
            });
        }

        static void Finish<T>(TaskCompletionSource<T> done, HttpResponse response, Func<HttpResponse, T> read)
        {
            if (response.Status != 404 && (response.Status < 200 || response.Status >= 300))
            {
                done.TrySetException(new LrsException(response.Status, Requests.Reason(response)));
                return;
            }
            try { done.TrySetResult(read(response)); }
            catch (FormatException error) { done.TrySetException(new LrsException(response.Status, error.Message)); }
        }
    }
}
