using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;

namespace GamesLrs
{
    /// <summary>Sends what waits, in order, one request at a time, until it is all there.</summary>
    sealed class Sender
    {
        const int BatchCount = 250;
        const int BatchBytes = 2 * 1024 * 1024;
        /// <summary>What a browser sends of a page that goes away.</summary>
        const int LastCount = 20;
        const int LastBytes = 60 * 1024;
        /// <summary>Statuses that say that a statement is wrong: not valid, in conflict, too large.</summary>
        static readonly List<int> OfStatements = new List<int> { 400, 409, 413 };
        const double Never = double.PositiveInfinity;
        const double LongestWait = 60;
        const double LongestAsked = 600;

        readonly Queue queue;
        readonly Requests requests;
        readonly ClientOptions options;
        readonly Action<int, string, string> onError;
        readonly List<Action> waiters = new List<Action>();
        readonly Random random = new Random();
        double now, due = Never, least;
        int failures, again, suspect, underWay;
        bool busy, stopped;

        /// <summary>Without, what waits is kept and nothing is sent.</summary>
        public bool Consent;

        public Sender(Queue queue, Requests requests, ClientOptions options, Action<int, string, string> onError)
        {
            this.queue = queue;
            this.requests = requests;
            this.options = options;
            this.onError = onError;
            Consent = options.Consent;
        }

        /// <summary>A statement came.</summary>
        public void Added()
        {
            if (failures > 0) return; // due is the time of the next attempt
            due = queue.Count >= options.FlushAt ? now : Math.Min(due, now + options.FlushAfter);
        }

        /// <summary>What waits is sent with the next Step. Calls back when it was sent, or tried.</summary>
        public void Flush(Action done)
        {
            if (done != null) waiters.Add(done);
            due = now;
        }

        /// <summary>Drops what waits; the answer to a request that is under way concerns nothing then.</summary>
        public void Drop()
        {
            queue.Remove(queue.Count);
            underWay = again = suspect = 0;
        }

        public void Stop() { stopped = true; }

        public void Step(double time)
        {
            now = time;
            if (busy) return;
            if (queue.Count == 0) due = Never;
            if (stopped || !Consent || queue.Count == 0 || now < least) Release();
            else if (now >= due) Post();
        }

        void Post()
        {
            // an attempt is repeated as it was; of a batch that was refused, one half goes by itself
            var count = again > 0 ? again : suspect > 0 ? (suspect + 1) / 2 : BatchCount;
            var batch = queue.First(count, BatchBytes);
            var request = requests.Request("POST", "statements", Body(batch));
            var auth = requests.Launch.Auth;
            busy = true;
            underWay = batch.Count;
            requests.Send(request, response =>
            {
                busy = false;
                Answered(response, auth, batch);
            });
        }

        /// <summary>For a page that goes away: what a browser still lets through. It stays until it is known to be there.</summary>
        public HttpRequest Last()
        {
            var batch = queue.First(LastCount, LastBytes);
            var body = stopped || !Consent || batch.Count == 0 || now < least ? null : Body(batch);
            return body == null || body.Length > LastBytes ? null : requests.Request("POST", "statements", body);
        }

        static byte[] Body(List<byte[]> batch)
        {
            var body = new MemoryStream();
            body.WriteByte((byte)'[');
            foreach (var json in batch)
            {
                if (body.Length > 1) body.WriteByte((byte)',');
                body.Write(json, 0, json.Length);
            }
            body.WriteByte((byte)']');
            return body.ToArray();
        }

        void Answered(HttpResponse response, string auth, List<byte[]> batch)
        {
            var status = response.Status;
            // a network that asks for a sign-in first answers 200, too, with a page
            if (status >= 200 && status < 300 && response.Text.TrimStart().StartsWith("[", StringComparison.Ordinal)) Done();
            else if (status < 400 || status == 429 || status >= 500) Later(RetryAfter(response.RetryAfter));
            else if (status == 401 && requests.Renew(auth)) due = now;
            else if (!OfStatements.Contains(status))
            {
                // the token has ended, or this is no record store: the statements stay for the next session
                stopped = true;
                onError(status, Requests.Reason(response), null);
            }
            else Refused(response, batch);
        }

        void Done()
        {
            queue.Remove(underWay);
            suspect = Math.Max(0, suspect - underWay);
            failures = again = 0;
            due = now;
        }

        void Refused(HttpResponse response, List<byte[]> batch)
        {
            failures = again = 0;
            due = now;
            var faults = underWay == 1
                ? new SortedDictionary<int, string> { { 0, Requests.Reason(response) } }
                : Requests.Faults(response, underWay);
            // the service does not name the bad ones: the next request has half of the batch
            suspect = faults.Count == 0 ? underWay : 0;
            queue.Drop(faults.Keys);
            foreach (var fault in faults) onError(response.Status, fault.Value, Encoding.UTF8.GetString(batch[fault.Key]));
        }

        void Later(double asked)
        {
            again = underWay;
            var wait = Math.Min(LongestWait, Math.Pow(2, Math.Min(failures++, 10))) * (0.5 + random.NextDouble() / 2);
            least = now + asked;
            due = now + Math.Max(wait, asked);
            Release();
        }

        /// <summary>In seconds; a header that says nothing is none.</summary>
        static double RetryAfter(string header)
        {
            double seconds;
            DateTime date;
            if (!double.TryParse(header, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out seconds))
                seconds = DateTime.TryParse(header, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal, out date)
                    ? (date - DateTime.UtcNow).TotalSeconds
                    : 0;
            // "NaN" is a number for TryParse
            return seconds > 0 ? Math.Min(seconds, LongestAsked) : 0;
        }

        void Release()
        {
            foreach (var done in waiters) done();
            waiters.Clear();
        }
    }
}
