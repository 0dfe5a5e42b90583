using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;

namespace GamesLrs
{
    /// <summary>Statements of one owner that wait, in their order: in memory, and on disk where there is one.</summary>
    sealed class Queue
    {
        public const int Most = 10000;

        struct Waiting
        {
            public byte[] Json;
            public bool Kept;
        }

        readonly List<Waiting> waiting = new List<Waiting>();
        readonly Action<string> onTrouble;
        QueueFile file;
        bool full, unkept;

        /// <param name="onTrouble">told once of each kind</param>
        public Queue(string folder, string owner, Action<string> onTrouble)
        {
            this.onTrouble = onTrouble;
            if (folder == null) return;
            try
            {
                List<byte[]> left;
                file = QueueFolder.Open(folder, NameOf(owner), out left);
                foreach (var json in left) waiting.Add(new Waiting { Json = json, Kept = true });
            }
            catch (Exception error)
            {
                onTrouble("statements wait in memory only, since " + folder + " cannot be used: " + error.Message);
            }
        }

        static string NameOf(string owner)
        {
            using (var hash = SHA256.Create())
                return BitConverter.ToString(hash.ComputeHash(Encoding.UTF8.GetBytes(owner)), 0, 16).Replace("-", "").ToLowerInvariant();
        }

        public int Version { get; private set; }

        public int Count { get { return waiting.Count; } }

        /// <summary>False: too many wait.</summary>
        public bool Add(string json)
        {
            if (waiting.Count >= Most)
            {
                if (!full) onTrouble("at most " + Most + " statements wait: the newest are dropped until the service can be reached");
                full = true;
                return false;
            }
            var bytes = Encoding.UTF8.GetBytes(json);
            var kept = file != null && file.Append(bytes);
            if (file != null && !kept && !unkept) onTrouble("the disk takes no more statements: they wait in memory only");
            unkept = file != null && !kept;
            waiting.Add(new Waiting { Json = bytes, Kept = kept });
            Version++;
            return true;
        }

        /// <summary>The first ones that fit; one at least, if one waits.</summary>
        public List<byte[]> First(int count, int mostBytes)
        {
            var first = new List<byte[]>();
            var bytes = 1;
            foreach (var one in waiting)
            {
                bytes += one.Json.Length + 1;
                if (first.Count == count || first.Count > 0 && bytes > mostBytes) break;
                first.Add(one.Json);
            }
            return first;
        }

        public void Remove(int count)
        {
            if (count == 0) return;
            var kept = 0;
            long bytes = 0;
            foreach (var one in waiting.GetRange(0, count))
            {
                if (!one.Kept) continue;
                kept++;
                bytes += one.Json.Length + 1;
            }
            waiting.RemoveRange(0, count);
            full = false;
            Version++;
            if (file == null) return;
            try
            {
                file.Removed(kept, bytes, waiting.Count == 0);
                if (file.IsLong) Compact();
            }
            catch (Exception) { } // they go once more, with their ids
        }

        /// <summary>Drops these, which were refused. Where the file cannot be written they are sent once more, and refused again.</summary>
        public void Drop(ICollection<int> indices)
        {
            if (indices.Count == 0) return;
            for (var i = waiting.Count - 1; i >= 0; i--) if (indices.Contains(i)) waiting.RemoveAt(i);
            full = false;
            Version++;
            if (file == null) return;
            try { Compact(); }
            catch (Exception) { }
        }

        void Compact()
        {
            file.Rewrite(waiting.ConvertAll(one => one.Json));
            for (var i = 0; i < waiting.Count; i++) waiting[i] = new Waiting { Json = waiting[i].Json, Kept = true };
        }

        public void Close()
        {
            if (file != null) file.Dispose();
            file = null;
        }
    }
}
